// swift-tools-version: 6.2
import PackageDescription

/// As in the package that this integrates with a C library.
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
    // hiredis, a client for Redis in C, with its own adapter to libuv. Not by pkg-config, whose flags
    // for it are such that the package manager warns in every build.
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
