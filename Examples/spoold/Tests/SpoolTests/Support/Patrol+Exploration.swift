import TaskDispatch
import TaskDispatchTesting

@testable import Spool

extension Patrol {
  /// Throws unless everything that was submitted is accounted for, and nothing waits or runs.
  func requireBalance() throws {
    guard let report = fake.report else { throw Broken(description: "there is no report") }
    let ledger = report.ledger
    try hold(ledger.balances && ledger.waiting == 0 && ledger.running == 0, "\(report)")
  }

  /// Throws if there was time for everything, and something is left or the manifest does not agree. If
  /// there was too little time, every error of the manifest must have been reported.
  func requireTruthfulEnd(_ remains: Keeper.Remains, in scratch: Scratch) throws {
    try requireBalance()
    try hold(remains.isEmpty || hadNoTime, "it has left something: \(remains)")
    if remains.isEmpty { return try scratch.requireTruth() }
    try hold(!remains.messages.isEmpty, "it says nothing of \(remains)")
    let (lines, truth) = (try scratch.sortedLines("manifest"), try scratch.trueLines())
    let names = lines.map { $0.dropFirst(66) }
    try hold(Set(names).count == names.count, "a file has two lines: \(lines.shown)")
    // Only a worker that uses the files keeps the end from writing everything.
    let isWriting = fake.report!.unfinished.contains {
      $0.label == Keeper.saving && $0.state == .abandoned
    }
    try hold(remains.unsaved == 0 || isWriting, "it has not saved \(remains.unsaved)")
    guard remains.unsaved == 0, !remains.isUnscanned else { return }
    for line in Set(lines).symmetricDifference(truth) {
      let path = BytePath(String(line.dropFirst(66)))
      try hold(remains.unread.some.contains(path), "\(path) is wrong, and \(remains)")
    }
  }

  /// Ends the daemon, and checks that the manifest agrees then.
  func requireQuietEnd(in scratch: Scratch) throws {
    try requireTruthfulEnd(try end(), in: scratch)
  }
}
