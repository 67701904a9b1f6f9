// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package that this one integrates with a C library.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "RedisIntegration",
  dependencies: [.package(name: "UVDispatch", path: "../..")],
  targets: [
    // hiredis, a client for Redis in C, with its own adapter to libuv. Not found by pkg-config: the
    // package manager warns of its flags in every build.
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .target(
      name: "Redis",
      dependencies: ["CHiredis", .product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
    // The program of Documentation/CLibraries.md.
    .executableTarget(
      name: "Visits",
      dependencies: ["Redis", .product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
    .testTarget(
      name: "RedisTests",
      dependencies: ["Redis", .product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
  ]
)
