// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Stress",
  products: [
    // Preloaded, never linked: it stands between a program and its C library.
    .library(name: "FaultInjection", type: .dynamic, targets: ["FaultInjection"]),
    // Loaded by LibraryHost, never linked.
    .library(name: "LoadedDispatcher", type: .dynamic, targets: ["LoadedDispatcher"]),
  ],
  dependencies: [
    .package(name: "UVDispatch", path: ".."),
    .package(path: "../Pictures"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    // What the rules look like from outside, and the checkers that watch them.
    .target(name: "Oracle", swiftSettings: settings),
    // Small programs that are the same on threads and in the fake, and their histories.
    .target(
      name: "Episodes",
      dependencies: [
        "Oracle",
        .product(name: "TaskDispatch", package: "UVDispatch"),
        .product(name: "TaskDispatchTesting", package: "UVDispatch"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "Stress",
      dependencies: [
        "Episodes",
        "Oracle",
        .product(name: "Pictures", package: "Pictures"),
        .product(name: "UVDispatch", package: "UVDispatch"),
        .product(name: "TaskDispatchTesting", package: "UVDispatch"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ], swiftSettings: settings),
    .testTarget(name: "OracleTests", dependencies: ["Oracle"], swiftSettings: settings),
    .testTarget(
      name: "EpisodesTests",
      dependencies: [
        "Episodes", "Oracle", "Stress",
        .product(name: "TaskDispatchTesting", package: "UVDispatch"),
        .product(name: "UVDispatch", package: "UVDispatch"),
      ], swiftSettings: settings),
    .target(
      name: "FaultInjection", exclude: ["versions.map"], cSettings: [.define("_GNU_SOURCE")],
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker",
          "--version-script=\(Context.packageDirectory)/Sources/FaultInjection/versions.map",
        ])
      ]),
    .executableTarget(
      name: "FaultProbe", dependencies: [.product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
    .target(
      name: "LoadedDispatcher", dependencies: [.product(name: "UVDispatch", package: "UVDispatch")],
      swiftSettings: settings),
    .executableTarget(name: "LibraryHost", cSettings: [.define("_GNU_SOURCE")]),
    .testTarget(name: "FaultProbeTests", dependencies: ["FaultProbe"], swiftSettings: settings),
  ]
)
