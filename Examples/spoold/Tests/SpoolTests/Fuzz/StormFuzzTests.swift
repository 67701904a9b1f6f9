import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("Anything that may happen to a spool")
struct StormFuzzTests {
  /// Changes the files of a spool at random, as other programs could.
  private struct Hand {
    var dice: Dice
    let scratch: Scratch
    private let names = ["a", "b", "c", "d", "e"]

    init(seed: UInt64, in scratch: Scratch) {
      dice = Dice(seed: seed)
      self.scratch = scratch
    }

    private mutating func path() -> BytePath {
      var path = BytePath("spool")
      for _ in 0...Int.random(in: 0...2, using: &dice) {
        path = path.appending(names.randomElement(using: &dice)!.utf8)
      }
      return path
    }

    /// Makes one change. Many changes fail, as they would for any program.
    mutating func act() {
      let (one, other) = (path(), path())
      let number = UInt32.random(in: 0...999, using: &dice)
      switch Int.random(in: 0..<10, using: &dice) {
      case 0, 1: try? scratch.makeDirectory(one)
      case 2, 3: try? scratch.write(one, "\(number)")
      case 4: try? scratch.append(one, "\(number)")
      case 5: try? scratch.remove(one)
      case 6: _ = unsafe scratch[one].withCString { unsafe rmdir($0) }
      default: try? scratch.rename(one, other)
      }
    }
  }

  @Test(
    "is in the manifest in the end, however it falls between what is heard and done",
    arguments: 0..<60 as Range<UInt64>)
  func agrees(seed: UInt64) throws {
    let scratch = Scratch()
    let vigil = try Vigil(in: scratch)
    var hand = Hand(seed: seed, in: scratch)
    for _ in 0..<150 {
      for _ in 0..<Int.random(in: 1...4, using: &hand.dice) { hand.act() }
      // Something else may happen between any two steps.
      switch Int.random(in: 0..<6, using: &hand.dice) {
      case 0: try vigil.hear()
      case 1: _ = try? vigil.fake.advanceToNextDeadline(driving: .loop)
      case 2: try vigil.notice()
      case 3: _ = try? vigil.fake.runNextBackgroundTask()
      case 4: _ = try? vigil.fake.runNextForegroundTask()
      default: try Self.toggleObstacle(in: scratch, &hand.dice)
      }
    }
    if scratch.exists(Self.obstacle) { try Self.toggleObstacle(in: scratch, &hand.dice) }
    try vigil.settle()

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines(), "seed \(seed)")
    #expect(vigil.counts.scans == 1)
    #expect(try vigil.end().isEmpty)
  }

  private static let obstacle = BytePath("manifest.spoold.new")

  /// Sometimes the manifest cannot be replaced for a while: no file takes the place of a directory.
  private static func toggleObstacle(in scratch: Scratch, _ dice: inout Dice) throws {
    if scratch.exists(obstacle) {
      _ = unsafe scratch[obstacle].withCString { unsafe rmdir($0) }
    } else if Int.random(in: 0..<4, using: &dice) == 0 {
      try? scratch.makeDirectory(obstacle)
    }
  }
}
