// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// What the pictures of Benchmarks and of Stress are drawn with.
let package = Package(
  name: "Pictures",
  products: [.library(name: "Pictures", targets: ["Pictures"])],
  targets: [.target(name: "Pictures", swiftSettings: settings)]
)
