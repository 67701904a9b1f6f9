// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with these: Swift 6 mode comes with the tools version.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "UVDispatch",
  products: [
    .library(name: "TaskDispatch", targets: ["TaskDispatch"]),
    .library(name: "UVDispatch", targets: ["UVDispatch"]),
    .library(name: "TaskDispatchTesting", targets: ["TaskDispatchTesting"]),
    .library(name: "TaskDispatchTestingSupport", targets: ["TaskDispatchTestingSupport"]),
  ],
  targets: [
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    // A signal handler may call next to nothing, and nothing of a runtime's.
    .target(name: "CSignals"),
    .target(name: "TaskDispatch", swiftSettings: settings),
    .target(
      name: "UVDispatch", dependencies: ["CUV", "CSignals", "TaskDispatch"],
      swiftSettings: settings),
    .target(
      name: "TaskDispatchTesting", dependencies: ["TaskDispatch"], swiftSettings: settings),
    .target(
      name: "TaskDispatchTestingSupport", dependencies: ["TaskDispatch", "TaskDispatchTesting"],
      swiftSettings: settings),
    // Not a product: prints what the policy and the fake cost, from a module that is not theirs, and
    // runs one case, those of the real dispatcher included, for a profiler.
    .executableTarget(
      name: "Speed", dependencies: ["TaskDispatch", "TaskDispatchTesting", "UVDispatch"],
      path: "Speed",
      swiftSettings: settings),
    .testTarget(name: "CUVTests", dependencies: ["CUV"], swiftSettings: settings),
    .testTarget(
      name: "TaskDispatchTests", dependencies: ["TaskDispatch"], swiftSettings: settings),
    // Programs for tests that need the main thread, which a test runner keeps for itself.
    .executableTarget(
      name: "MainThreadHost", dependencies: ["UVDispatch"], path: "Tests/MainThreadHost",
      swiftSettings: settings),
    .testTarget(
      name: "UVDispatchTests",
      dependencies: ["UVDispatch", "TaskDispatch", "TaskDispatchTesting", "MainThreadHost"],
      swiftSettings: settings),
    .testTarget(
      name: "TaskDispatchTestingTests", dependencies: ["TaskDispatch", "TaskDispatchTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "TaskDispatchTestingSupportTests",
      dependencies: ["TaskDispatch", "TaskDispatchTesting", "TaskDispatchTestingSupport"],
      swiftSettings: settings),
  ]
)
