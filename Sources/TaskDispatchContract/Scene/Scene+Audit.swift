internal import TaskDispatch
internal import TaskDispatchTesting

extension Scene {
  /// What the observer was told about one submission.
  private struct Account {
    var record: TaskRecord
    var enqueued = 0
    var started = 0
    var refused = 0
    var due = 0
    var outcomes: [Outcome] = []
  }

  /// Checks that the observer and the ledger account for each submission exactly once (rule 2). Runs after every check
  /// that has an observer, once the dispatcher is finished.
  func audit() {
    var accounts: [TaskID: Account] = [:]
    for event in events.events {
      var account = accounts[event.task.id] ?? Account(record: event.task)
      switch event.kind {
      case .enqueued: account.enqueued += 1
      case .started: account.started += 1
      case .refused: account.refused += 1
      case .due: account.due += 1
      case .finished(let outcome): account.outcomes.append(outcome)
      case .cancellationRequested, .stalled, .registered, .unregistered, .escaped: continue
      }
      accounts[event.task.id] = account
    }
    for account in accounts.values.sorted(by: { $0.record.id < $1.record.id }) { audit(account) }
    audit(dispatcher.ledger, against: Array(accounts.values))
  }

  private func audit(_ account: Account) {
    let found =
      "\(account.enqueued) enqueued, \(account.started) started, \(account.refused) refused, "
      + "outcomes: \(account.outcomes)"
    func expect(_ condition: Bool, _ expected: String) {
      if !condition { record(violation("\(account.record): \(expected)", found, rule: 2)) }
    }
    if account.enqueued == 0 {
      expect(
        account.refused == 1 && account.started == 0 && account.outcomes.isEmpty,
        "what was never accepted is refused once, and nothing else")
      return
    }
    expect(account.enqueued == 1, "it is accepted once")
    expect(
      account.outcomes.count + account.refused == 1,
      "what was accepted gets exactly one outcome")
    switch account.outcomes.first {
    // A sleep comes due, and has nothing to run.
    case .completed where account.started == 0: expect(account.due == 1, "it starts once")
    case .completed, .failed, .abandoned: expect(account.started == 1, "it starts once")
    case .cancelled, .expired, .refused, nil: expect(account.started == 0, "it never starts")
    }
  }

  private func audit(_ ledger: Ledger, against accounts: [Account]) {
    var told = Ledger()
    for account in accounts {
      told.refused += account.refused
      // A submission that was accepted to wait for room, and then refused, counts as refused alone.
      told.accepted += account.refused > 0 ? 0 : account.enqueued
      for outcome in account.outcomes { told.count(outcome) }
    }
    guard ledger != told else { return }
    record(violation("the ledger says what the observer was told: \(told)", "\(ledger)", rule: 2))
  }
}
