import Episodes
import Foundation
import Oracle

/// What a run does. The same plan gives the same program, but threads do not repeat their schedule.
struct Plan: Codable, Sendable {
  enum Backend: String, Codable, CaseIterable, Sendable { case uv, fake }

  var mix = Mix.default
  var seed: UInt64
  var seconds = 10.0
  /// How many threads submit.
  var threads = 4
  /// The background's width; nil for as much as the pool allows.
  var width: Int?
  /// The number of the pool's threads; nil for what the environment says.
  var pool: Int?
  var backend = Backend.uv
  var isForever = false
  /// A mistake that is planted in the programs of the mix `episodes`.
  var plant: Episode.Plant?
  /// What the mix `entangled` leaves out.
  var without: Set<Deed.Family>?

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  static func read(from path: String) throws -> Plan {
    try JSONDecoder().decode(Plan.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
