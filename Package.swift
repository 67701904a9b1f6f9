// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with these: Swift 6 mode comes with the tools version.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Tests need no optimising: it is the library whose optimised code they try. It halves what a release build takes.
let testSettings: [SwiftSetting] =
  settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let withDaemon = TargetDependencyCondition.when(traits: ["Daemon"])

let package = Package(
  name: "UVDispatch",
  products: [
    .library(name: "TaskDispatch", targets: ["TaskDispatch"]),
    .library(name: "UVDispatch", targets: ["UVDispatch"]),
    .library(name: "UVDaemon", targets: ["UVDaemon"]),
    .library(name: "TaskDispatchTesting", targets: ["TaskDispatchTesting"]),
    .library(name: "TaskDispatchTestingSupport", targets: ["TaskDispatchTestingSupport"]),
    .library(name: "TaskDispatchContract", targets: ["TaskDispatchContract"]),
  ],
  traits: [
    .trait(
      name: "Daemon",
      description: "UVDaemon: signals, systemd, service lifecycle, logs and metrics of a daemon")
  ],
  // Only UVDaemon and its tests use these. A package that does not ask for the trait resolves none.
  dependencies: [
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-service-context.git", from: "1.2.0"),
  ],
  targets: [
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    // In C, since a signal handler may call next to nothing, and nothing of Swift's runtime.
    .target(name: "CSignals"),
    .target(name: "CThreads"),
    .target(name: "CRings"),
    .target(name: "TaskDispatch", dependencies: ["CThreads"], swiftSettings: settings),
    .target(
      name: "UVDispatch", dependencies: ["CUV", "CSignals", "CRings", "TaskDispatch"],
      exclude: ["Engine/README.md"], swiftSettings: settings),
    .target(name: "CDaemon"),
    .target(
      name: "UVDaemon",
      dependencies: [
        "CDaemon", "TaskDispatch", "UVDispatch",
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: withDaemon),
        .product(name: "Logging", package: "swift-log", condition: withDaemon),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: withDaemon),
        .product(
          name: "ServiceContextModule", package: "swift-service-context", condition: withDaemon),
      ],
      swiftSettings: settings),
    .target(name: "CNote"),
    .target(
      name: "TaskDispatchTesting", dependencies: ["CNote", "TaskDispatch"],
      swiftSettings: settings),
    .target(
      name: "TaskDispatchContract", dependencies: ["TaskDispatch", "TaskDispatchTesting"],
      swiftSettings: settings),
    .target(
      name: "TaskDispatchTestingSupport", dependencies: ["TaskDispatch", "TaskDispatchTesting"],
      swiftSettings: settings),
    // Not a product: prints what the policy and the fake cost when another module uses them, and runs
    // one case, of UVDispatcher as well, for a profiler.
    .executableTarget(
      name: "Speed", dependencies: ["TaskDispatch", "TaskDispatchTesting", "UVDispatch"],
      path: "Benchmarks/Speed",
      swiftSettings: settings),
    .testTarget(name: "CUVTests", dependencies: ["CUV"], swiftSettings: testSettings),
    // What tests of several targets share: threads, counters, dice.
    .target(
      name: "TestSupport", dependencies: ["TaskDispatchTesting"], path: "Tests/TestSupport",
      swiftSettings: settings),
    // Checkers of what random programs did, on any dispatcher.
    .target(
      name: "RandomTesting", dependencies: ["TaskDispatch"], path: "Tests/RandomTesting",
      swiftSettings: testSettings),
    .testTarget(
      name: "RandomTestingTests", dependencies: ["RandomTesting", "TaskDispatch", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "TaskDispatchTests",
      dependencies: ["TaskDispatch", "TaskDispatchTesting", "TestSupport"],
      swiftSettings: testSettings),
    // Programs for tests that need the main thread, which a test runner keeps for itself.
    .executableTarget(
      name: "MainThreadHost", dependencies: ["UVDispatch", "TestSupport"],
      path: "Tests/MainThreadHost",
      swiftSettings: settings),
    .testTarget(
      name: "UVDispatchTests",
      dependencies: [
        "UVDispatch", "TaskDispatch", "TaskDispatchTesting", "TaskDispatchContract",
        "MainThreadHost", "RandomTesting", "TestSupport",
      ],
      swiftSettings: testSettings),
    // Daemons for tests that start one, and are its service manager.
    .executableTarget(
      name: "DaemonHost",
      dependencies: [
        "UVDaemon", "UVDispatch",
        .product(name: "Logging", package: "swift-log", condition: withDaemon),
      ],
      path: "Tests/DaemonHost", swiftSettings: settings),
    .testTarget(
      name: "UVDaemonTests",
      dependencies: [
        "UVDaemon", "UVDispatch", "TaskDispatch", "TaskDispatchTesting", "DaemonHost",
        "RandomTesting", "TestSupport",
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: withDaemon),
        .product(name: "Logging", package: "swift-log", condition: withDaemon),
        .product(name: "InMemoryLogging", package: "swift-log", condition: withDaemon),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: withDaemon),
        .product(
          name: "ServiceContextModule", package: "swift-service-context", condition: withDaemon),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "TaskDispatchTestingTests",
      dependencies: [
        "TaskDispatch", "TaskDispatchTesting", "TaskDispatchContract", "RandomTesting",
        "TestSupport",
      ],
      swiftSettings: testSettings),
    // A dispatcher as its author writes it outside of this package: the target sees what is public, and no more.
    .testTarget(
      name: "OutsideDispatcherTests",
      dependencies: ["TaskDispatch", "TaskDispatchContract", "TaskDispatchTesting", "UVDispatch"],
      packageAccess: false, swiftSettings: testSettings),
    .testTarget(
      name: "TaskDispatchTestingSupportTests",
      dependencies: ["TaskDispatch", "TaskDispatchTesting", "TaskDispatchTestingSupport"],
      swiftSettings: testSettings),
  ]
)
