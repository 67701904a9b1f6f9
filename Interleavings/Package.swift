// swift-tools-version: 6.2
import PackageDescription

/// As the library's own targets are built.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Interleavings",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .target(name: "CSignals"),
    .target(name: "CThreads"),
    .target(name: "CRings"),
    // Lets one thread run at a time.
    .target(name: "CBaton"),
    .target(name: "Scheduling", dependencies: ["CBaton"], swiftSettings: settings),
    // The library's own files, by symbolic links, and twins of what waits or races.
    .target(
      name: "TaskDispatch", dependencies: ["CThreads", "Scheduling"], swiftSettings: settings),
    .target(
      name: "UVDispatch",
      dependencies: ["CUV", "CSignals", "CRings", "Scheduling", "TaskDispatch"],
      exclude: ["Engine/README.md"], swiftSettings: settings),
    // Knows the rules, and nothing of the engine.
    .target(name: "Judging", dependencies: ["TaskDispatch"], swiftSettings: settings),
    .executableTarget(
      name: "Interleavings",
      dependencies: [
        "Judging", "Scheduling", "TaskDispatch", "UVDispatch",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    .testTarget(name: "SchedulingTests", dependencies: ["Scheduling"], swiftSettings: settings),
    .testTarget(
      name: "JudgingTests", dependencies: ["Judging", "TaskDispatch"], swiftSettings: settings),
  ]
)
