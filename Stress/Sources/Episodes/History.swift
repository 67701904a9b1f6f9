import Foundation
import Oracle
package import TaskDispatch
import TaskDispatchTesting

/// What an observer saw of one episode, as a file, with all that it takes to run the episode again.
///
/// The first line gives the length and the checksum of the rest. Without them the fake would follow a
/// part of an order, or an order with a changed name, without a complaint, and the result would mean
/// nothing.
package struct History: Codable, Equatable, Sendable {
  /// The seed of the run.
  package var seed: UInt64
  package var plant: Episode.Plant?
  /// The number of the round. Each earlier round had a dispatcher of its own, so nothing of it is
  /// needed.
  package var round: Int
  /// The width of the background.
  package var width: Int
  /// What the episode does, a line for each of its parts.
  package var program: [String]
  package var ending: Episode.Ending
  /// Whether the episode came to its end, so that its order is complete.
  package var isWhole: Bool
  /// The order of the bodies, in the form that `explore(replaying:)` takes.
  package var token: String
  /// What the observer was told, a line for each event, for people.
  package var events: [String]

  package init(
    seed: UInt64, plant: Episode.Plant?, round: Int, width: Int, ending: Episode.Ending,
    isWhole: Bool, events: [TaskEvent]
  ) {
    self.seed = seed
    self.plant = plant
    self.round = round
    self.width = width
    self.ending = ending
    self.isWhole = isWhole
    program = Episode(ofRound: round, seed: seed, plant: plant).program
    token = scheduleToken(of: events)
    self.events = events.map(\.description)
  }

  package var episode: Episode { Episode(ofRound: round, seed: seed, plant: plant) }

  /// How many bodies ran.
  package var steps: Int { Order(token)?.names.count ?? 0 }

  // MARK: As a file

  private static let title = "stress history "
  private static let version = "1"

  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // It consists of numbers, texts and lists of them, which the encoder never refuses.
    let body = try! encoder.encode(self)
    let sum = Self.hexadecimal(Self.sum(of: [UInt8](body)))
    return "\(Self.title)\(Self.version), \(body.count) bytes, sum \(sum)\n"
      + String(decoding: body, as: UTF8.self)
  }

  package func write(to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// - Throws: If the file was changed after it was written, or if its seed makes another program now.
  package static func read(from path: String) throws(HistoryError) -> History {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw .unreadable(path, error.localizedDescription)
    }
    return try History([UInt8](data), from: path)
  }

  /// - Parameter path: The name of the file in messages.
  package init(_ bytes: [UInt8], from path: String) throws(HistoryError) {
    if bytes.isEmpty { throw .empty(path) }
    let title = Array(Self.title.utf8)
    guard bytes.starts(with: title) else {
      throw title.starts(with: bytes) ? .cut(path, missing: 0) : .foreign(path)
    }
    guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      throw .cut(path, missing: 0)
    }
    let line = String(decoding: bytes[title.count..<lineEnd], as: UTF8.self)
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.first == "\(Self.version)," else {
      throw .otherVersion(path, Self.title + line.prefix(40))
    }
    guard words.count == 5, words[2] == "bytes,", words[3] == "sum", let count = Int(words[1]),
      count >= 0
    else { throw .damaged(path, "its first line is not what this program writes") }
    let body = Array(bytes[(lineEnd + 1)...])
    if body.count < count { throw .cut(path, missing: count - body.count) }
    guard body.count == count else {
      throw .damaged(path, "\(body.count - count) bytes more than there should be")
    }
    guard Self.hexadecimal(Self.sum(of: body)) == words[4] else {
      throw .damaged(path, "its bytes add up to something else")
    }
    do { self = try JSONDecoder().decode(History.self, from: Data(body)) } catch {
      throw .damaged(path, "something is missing in it, or has another form")
    }
    guard (1...1024).contains(width), round >= 0, Order(token) != nil else {
      throw .damaged(path, "it is of no run that this program makes")
    }
    let now = episode.program
    if program != now {
      let index = zip(program, now).prefix { $0 == $1 }.count
      func part(_ program: [String]) -> String {
        index < program.count ? program[index] : "nothing more"
      }
      throw .otherProgram(path, recorded: part(program), now: part(now))
    }
  }

  /// FNV-1a. A change of one byte always changes the sum.
  package static func sum(of bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  package static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
