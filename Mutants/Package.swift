// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package that the bugs are planted in.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Mutants",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // The list of bugs, and how they get into a source file. It touches no files and no processes.
    .target(name: "PlantedBugs", swiftSettings: settings),
    // The program: it makes the copy, builds it, and tries one bug after the other.
    .executableTarget(
      name: "Mutants",
      dependencies: [
        "PlantedBugs",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PlantedBugsTests", dependencies: ["PlantedBugs"], swiftSettings: settings),
  ]
)
