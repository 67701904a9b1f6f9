import Episodes
import Foundation
import Oracle
import TaskDispatchTesting
import Testing

@Suite("The file of a history")
struct HistoryFileTests {
  private static let path = "a.history"

  /// The history of the order that the fake prefers.
  private func makeHistory(round: Int = 4) throws -> History {
    let recorder = Recorder()
    let episode = Episode(ofRound: round, seed: 9, plant: .journal)
    let result = try explore(
      .bounded(deviations: 0), configuration: .init(observer: recorder),
      budget: .init(schedules: 1, timersAhead: .max), episode.scenario(width: 3))
    return History(
      seed: 9, plant: .journal, round: round, width: 3, ending: result.outcomes[0], isWhole: true,
      events: recorder.history)
  }

  private func error(reading bytes: [UInt8]) -> HistoryError? {
    do throws(HistoryError) {
      _ = try History(bytes, from: Self.path)
      return nil
    } catch { return error }
  }

  private func error(reading text: String) -> HistoryError? { error(reading: [UInt8](text.utf8)) }

  @Test("is read as it was written", arguments: 0..<10)
  func roundTrip(round: Int) throws {
    let history = try makeHistory(round: round)

    let read = try History([UInt8](history.text.utf8), from: Self.path)

    #expect(read == history)
    #expect(read.steps > 0)
    #expect(read.text == history.text)
  }

  @Test("that is not there, empty or something else says so, and what to give instead")
  func foreign() {
    #expect(error(reading: "") == .empty(Self.path))
    for text in ["{\"seed\": 1}", "stress: ok", "\n", "order1:a;b", "\u{0}\u{ff}"] {
      #expect(error(reading: text) == .foreign(Self.path))
    }
    #expect {
      try History.read(from: "/nowhere/a.history")
    } throws: { error in
      guard case HistoryError.unreadable("/nowhere/a.history", _) = error else { return false }
      return "\(error)".contains("Give the file that a failed run has named")
    }
    #expect(HistoryError.foreign("x").description.contains("--replay"))
  }

  @Test("of another version, or of a program that the seed does not make, says so")
  func otherVersion() throws {
    let text = try makeHistory().text
    #expect(
      error(reading: text.replacingOccurrences(of: "history 1,", with: "history 2,"))
        .map { if case .otherVersion = $0 { true } else { false } } == true)
    for round in [5, .max] {
      var other = try makeHistory()
      other.round = round
      let found = try #require(error(reading: other.text))
      guard case .otherProgram = found else {
        Issue.record("\(found)")
        continue
      }
      #expect("\(found)".contains("the sources have changed"))
    }
  }

  @Test("that was cut says so, wherever that was")
  func cut() throws {
    let bytes = [UInt8](try makeHistory().text.utf8)
    for count in 1..<bytes.count {
      guard case .cut = error(reading: Array(bytes[..<count])) else {
        Issue.record("\(count) of \(bytes.count): \(error(reading: Array(bytes[..<count])) as Any)")
        return
      }
    }
    #expect(
      error(reading: Array(bytes.dropLast(3)))
        == .cut(Self.path, missing: 3))
    #expect("\(HistoryError.cut("x", missing: 3))".contains("3 bytes are missing"))
  }

  @Test("of which a byte is another one is not followed, whichever it is")
  func flipped() throws {
    let bytes = [UInt8](try makeHistory().text.utf8)
    var dice = Dice(seed: 11)
    for place in bytes.indices {
      var other = bytes
      other[place] ^= 1 << UInt8(dice.roll(8))
      #expect(error(reading: other) != nil, "byte \(place)")
    }
  }

  @Test("of any bytes behind a good first line is refused, or is a history that can be followed")
  func anyBytes() throws {
    let text = try makeHistory().text
    let body = [UInt8](text.utf8.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    var dice = Dice(seed: 12)
    var refused = 0
    for _ in 0..<1_000 {
      var other = body
      for _ in 0...dice.roll(3) {
        let place = dice.roll(other.count)
        switch dice.roll(4) {
        case 0: other[place] = UInt8(dice.roll(256))
        case 1: other.remove(at: place)
        case 2: other.insert(UInt8(48 + dice.roll(10)), at: place)
        default: other.removeSubrange(place..<min(other.count, place + dice.roll(40)))
        }
      }
      let sum = History.hexadecimal(History.sum(of: other))
      let file = Array("stress history 1, \(other.count) bytes, sum \(sum)\n".utf8) + other
      do throws(HistoryError) {
        let history = try History(file, from: Self.path)
        do { _ = try history.replay(explains: false) } catch is ExplorationError {} catch {
          Issue.record("\(error)")
        }
      } catch { refused += 1 }
    }
    #expect((300..<1_000).contains(refused))
  }

  @Test("whose numbers no run could have is refused")
  func impossible() throws {
    for change in [
      { (history: inout History) in history.width = 0 }, { $0.width = .max }, { $0.round = -1 },
      { $0.token = "facts1:" },
    ] {
      var history = try makeHistory()
      change(&history)
      #expect(
        error(reading: history.text)
          == .damaged(Self.path, "it is of no run that this program makes"))
    }
  }
}
