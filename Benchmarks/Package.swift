// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Benchmarks",
  products: [
    // Preloaded, never linked: it stands between a program and its C library, and counts calls.
    .library(name: "CallCounter", type: .dynamic, targets: ["CallCounter"])
  ],
  dependencies: [
    .package(name: "UVDispatch", path: ".."),
    .package(path: "../Pictures"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    .systemLibrary(name: "CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    // What a C program would do instead of using a dispatcher, and what only C can ask of libuv.
    .target(name: "CPeers", dependencies: ["CLibUV"], cSettings: [.define("_GNU_SOURCE")]),
    // Repetitions, medians, verdicts, and how they are shown. It knows nothing of dispatchers.
    .target(
      name: "Measuring", dependencies: [.product(name: "Pictures", package: "Pictures")],
      swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CPeers",
        "Measuring",
        .product(name: "TaskDispatch", package: "UVDispatch"),
        .product(name: "UVDispatch", package: "UVDispatch"),
        .product(name: "TaskDispatchTesting", package: "UVDispatch"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: settings),
    .target(name: "CallCounter", cSettings: [.define("_GNU_SOURCE")]),
    // One kind of task, counted from outside by CallCounter and by callgrind.
    .executableTarget(
      name: "CountedTasks",
      dependencies: ["CPeers", .product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
    // The smallest daemon, to measure its start and its memory.
    .executableTarget(
      name: "HelloDaemon", dependencies: [.product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
    // A simulation of the locks on more cores than were at hand.
    .executableTarget(name: "Scaling", swiftSettings: settings),
    .testTarget(
      name: "BenchmarksTests", dependencies: ["Measuring", "Scaling"], swiftSettings: settings),
  ]
)
