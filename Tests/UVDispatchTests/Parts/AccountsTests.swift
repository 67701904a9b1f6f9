import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

@Suite("The accounts of submissions, as a value")
struct AccountsTests {
  private struct Failure: Error {}

  /// Something that becomes of a submission, and which counts change by how much.
  struct Step: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let changes: String
    let perform: @Sendable (inout Accounts) -> Void

    init(
      _ what: String, _ changes: String, _ perform: @escaping @Sendable (inout Accounts) -> Void
    ) {
      (testDescription, self.changes, self.perform) = (what, changes, perform)
    }

    static let table = [
      Step("one is accepted", "accepted+1 waiting+1") { $0.accept() },
      Step("three are accepted", "accepted+3 waiting+3") { $0.accept(3) },
      Step("one is refused", "refused+1") { $0.refuse() },
      Step("one that waits is refused after all", "accepted-1 waiting-1") {
        $0.takeBackAcceptance()
      },
      Step("one begins", "waiting-1 running+1") { $0.begin() },
      Step("a running one completes", "completed+1 running-1") { $0.end(.completed) },
      Step("a running one fails", "failed+1 running-1") { $0.end(.failed(Failure())) },
      Step("a running one is given up", "abandoned+1 running-1") { $0.end(.abandoned) },
      Step("one that waits is cancelled", "cancelled+1 waiting-1") { $0.endUnstarted(.cancelled) },
      Step("one that waits expires", "expired+1 waiting-1") { $0.endUnstarted(.expired) },
      Step("one that waits goes on elsewhere", "abandoned+1 waiting-1") {
        $0.endUnstarted(.abandoned)
      },
      Step("a Task that sleeps is resumed", "completed+1 waiting-1") {
        $0.endUnstarted(.completed)
      },
      Step("a plain task completes, and the next begins", "completed+1 waiting-1") { $0.passOn() },
      Step("an item completes, and the next begins", "completed+1 waiting-1") {
        $0.passOn(ending: .completed)
      },
      Step("an item fails, and the next begins", "failed+1 waiting-1") {
        $0.passOn(ending: .failed(Failure()))
      },
    ]
  }

  /// Accounts in which each count differs from the others.
  private func filled() -> Accounts {
    var accounts = Accounts()
    accounts.accept(90)
    for _ in 0..<2 { accounts.refuse() }
    for _ in 0..<40 { accounts.begin() }
    for _ in 0..<3 { accounts.end(.completed) }
    for _ in 0..<4 { accounts.end(.failed(Failure())) }
    for _ in 0..<5 { accounts.endUnstarted(.cancelled) }
    for _ in 0..<6 { accounts.endUnstarted(.expired) }
    for _ in 0..<7 { accounts.end(.abandoned) }
    return accounts
  }

  private func counts(of ledger: Ledger) -> [(name: String, count: Int)] {
    [
      ("accepted", ledger.accepted), ("refused", ledger.refused), ("completed", ledger.completed),
      ("failed", ledger.failed), ("cancelled", ledger.cancelled), ("expired", ledger.expired),
      ("abandoned", ledger.abandoned), ("waiting", ledger.waiting), ("running", ledger.running),
    ]
  }

  @Test("what becomes of a submission changes these counts, and no other", arguments: Step.table)
  func step(_ step: Step) {
    var accounts = filled()
    let before = counts(of: accounts.ledger)
    #expect(before.map(\.count) == [90, 2, 3, 4, 5, 6, 7, 39, 26])

    step.perform(&accounts)

    let changes = zip(before, counts(of: accounts.ledger)).compactMap { before, after in
      let change = after.count - before.count
      return change == 0 ? nil : "\(before.name)\(change > 0 ? "+" : "")\(change)"
    }
    #expect(changes.joined(separator: " ") == step.changes)
    #expect(accounts.ledger.balances)
    #expect(accounts.lastNumber == 0)
  }

  @Test("submissions are numbered from one, whatever becomes of them")
  func numbers() {
    var accounts = filled()

    let numbers = (0..<3).map { _ in accounts.next() }

    #expect(numbers == [1, 2, 3])
    #expect(accounts.lastNumber == 3)
    #expect(accounts.ledger == filled().ledger)
  }

  private enum Fate { case waiting, running, ended }

  @Test(
    "in a random program, the counts are those of the submissions one by one", arguments: 1...10)
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    var accounts = Accounts()
    var fates: [Fate] = []
    for step in 0..<500 {
      let waiting = fates.firstIndex(of: .waiting)
      let running = fates.firstIndex(of: .running)
      switch (dice.roll(6), waiting, running) {
      case (0, _, _), (1, _, _):
        accounts.accept()
        fates.append(.waiting)
      case (2, let waiting?, _):
        accounts.begin()
        fates[waiting] = .running
      case (3, let waiting?, _):
        accounts.endUnstarted(dice.once(in: 2) ? .cancelled : .expired)
        fates[waiting] = .ended
      case (4, _, let running?):
        accounts.end(dice.once(in: 2) ? .completed : .abandoned)
        fates[running] = .ended
      case (5, let waiting?, let running?):
        if dice.once(in: 2) { accounts.passOn() } else { accounts.passOn(ending: .completed) }
        fates[running] = .ended
        fates[waiting] = .running
      default: break
      }
      let ledger = accounts.ledger
      #expect(ledger.accepted == fates.count, "seed \(seed), step \(step)")
      #expect(ledger.waiting == fates.count { $0 == .waiting }, "seed \(seed), step \(step)")
      #expect(ledger.running == fates.count { $0 == .running }, "seed \(seed), step \(step)")
      #expect(ledger.ended == fates.count { $0 == .ended }, "seed \(seed), step \(step)")
    }
  }
}
