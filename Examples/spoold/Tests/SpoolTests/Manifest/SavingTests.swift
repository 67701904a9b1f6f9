import Glibc
import TaskDispatch
import Testing

@testable import Spool

@Suite("What is written next")
struct SavingTests {
  private func fact(_ path: BytePath, _ digest: UInt8) -> StampLine {
    let time = Stamp.Instant(seconds: 1, nanoseconds: 1)
    let stamp = Stamp(device: 1, inode: 1, size: 1, modified: time, changed: time)
    let bytes = [UInt8](repeating: digest, count: 32)
    return StampLine(digest: Digest(bytes: bytes), stamp: stamp, path: path)
  }

  /// A catalogue in which one line is out of date, and one waits to be added.
  private func staleCatalogue() -> Catalogue {
    var catalogue = Catalogue()
    catalogue.set(fact("stale", 1))
    catalogue.noteSaved(catalogue.takeFresh(10))
    catalogue.set(fact("stale", 2))
    catalogue.set(fact("fresh", 1))
    return catalogue
  }

  @Test("is a file of stamps that is mostly of no use, although there is always something else")
  func tidiesFirst() {
    var catalogue = staleCatalogue()
    var saving = Saving(interval: .zero, stampCount: 2 * catalogue.count + 1_001)
    saving.note(fact("fresh", 1))

    guard case .tidy(let known) = saving.next(&catalogue, at: .start) else {
      Issue.record("it was not the first")
      return
    }
    #expect(saving.next(&catalogue, at: .start) == nil)

    _ = saving.takeIn(.tidy(known), .init(stampCount: 2), &catalogue, at: .start)
    guard case .replace(_, let facts) = saving.next(&catalogue, at: .start) else {
      Issue.record("the manifest was not the second")
      return
    }
    #expect(facts == [fact("fresh", 1)])
  }

  @Test("while nothing can be, does not fill the memory")
  func forgetsFactsOfNoUse() {
    var catalogue = staleCatalogue()
    var saving = Saving(interval: .zero, stampCount: 0)
    let stop = Stop.manifest("manifest", SystemError(call: "write", code: ENOSPC))
    var now = DispatcherInstant.start
    for round in 0..<10 {
      for number in 0..<500 { saving.note(fact("gone \(round) \(number)", 3)) }
      saving.note(fact("fresh", 1))
      now = now.advanced(by: .seconds(60))
      guard let job = saving.next(&catalogue, at: now) else {
        Issue.record("nothing is tried")
        return
      }
      _ = saving.takeIn(job, .init(stop: stop), &catalogue, at: now)
      #expect(saving.factCount <= 2 * catalogue.count + 1_000)
    }
    #expect(saving.obstacle != nil)
    // Useful facts are kept.
    now = now.advanced(by: .seconds(60))
    guard case .replace(_, let facts) = saving.next(&catalogue, at: now) else {
      Issue.record("the manifest is not tried again")
      return
    }
    #expect(facts.contains(fact("fresh", 1)))
  }
}
