// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package that this is an example of.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "spoold",
  products: [.executable(name: "spoold", targets: ["spoold"])],
  dependencies: [
    .package(name: "UVDispatch", path: "../..", traits: ["Daemon"]),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", "3.12.3"..<"5.0.0"),
  ],
  targets: [
    // What spoold does. It takes any dispatcher, so it links no libuv.
    .target(
      name: "Spool",
      dependencies: [
        .product(name: "TaskDispatch", package: "UVDispatch"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: settings),
    // The program: it makes the dispatcher.
    .executableTarget(
      name: "spoold",
      dependencies: [
        "Spool",
        .product(name: "UVDispatch", package: "UVDispatch"),
        .product(name: "UVDaemon", package: "UVDispatch"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SpoolTests",
      dependencies: [
        "Spool", "spoold",
        .product(name: "UVDaemon", package: "UVDispatch"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "TaskDispatch", package: "UVDispatch"),
        .product(name: "TaskDispatchTesting", package: "UVDispatch"),
      ],
      swiftSettings: settings),
  ]
)
