import Oracle

/// What has happened, as submitting threads and bodies count it.
struct Totals: ~Copyable, Sendable {
  let accepted = Count()
  let refused = Count()
  /// Bodies that ran to their end, without runs of repeating timers, and below it bodies that threw.
  let ran = Count()
  let threw = Count()
  /// Runs of repeating timers.
  let ticks = Count()
  /// Tasks that are known to have been cancelled before the start, repeating timers included.
  let cancelled = Count()
  let expired = Count()
  /// Calls of `sync` that were rejected. The ledger may count them as refused, or as accepted and then
  /// cancelled.
  let turnedAway = Count()
  /// Bodies that began, runs of repeating timers included: the sum of ``ran``, ``threw`` and ``ticks``
  /// in the end.
  let begun = Count()
  /// Bodies that began and have ended.
  let ended = Count()

  // Other operations.
  let asked = Count()
  let replied = Count()
  let cancelRequests = Count()
  let waits = Count()
  let waitsRefused = Count()
  let flushes = Count()
  let suspensions = Count()
  let asyncCalls = Count()
  let asyncCancelled = Count()
  let forks = Count()
  let faults = Count()

  // Signals and descriptors.
  let raised = Count()
  let bytes = Count()
  let handlers = Count()
  let handlersCancelled = Count()
  /// Calls of handlers, which are bodies.
  let handlerCalls = Count()
  /// How often a call may have begun for the dispatcher and its ledger without a call of the handler,
  /// because a thread removed the handler in between.
  let hidden = Count()
  let neighbours = Count()

  // User code that misbehaves.
  let callbacks = Count()
  let deinits = Count()
  let timedOut = Count()
  /// Tasks that were posted to see whether the background goes on, and below it how many of them were
  /// posted while a callback kept its thread.
  let probes = Count()
  let heldProbes = Count()
}

/// A snapshot of ``Totals`` for people and files.
struct TotalsSnapshot: Codable, Sendable {
  var values: [String: Int] = [:]

  init() {}

  init(_ totals: borrowing Totals) {
    values = [
      "accepted": totals.accepted.value, "refused": totals.refused.value, "ran": totals.ran.value,
      "threw": totals.threw.value, "ticks of repeating timers": totals.ticks.value,
      "cancelled before the start": totals.cancelled.value, "expired": totals.expired.value,
      "sync refused": totals.turnedAway.value, "replies asked for": totals.asked.value,
      "replies": totals.replied.value, "cancellations asked for": totals.cancelRequests.value,
      "blocking waits": totals.waits.value, "blocking waits refused": totals.waitsRefused.value,
      "flushes": totals.flushes.value, "suspensions": totals.suspensions.value,
      "async calls": totals.asyncCalls.value, "async calls cancelled": totals.asyncCancelled.value,
      "forks": totals.forks.value, "signal storms, blocked loops": totals.faults.value,
      "signals raised": totals.raised.value, "bytes read": totals.bytes.value,
      "handlers": totals.handlers.value, "handlers cancelled": totals.handlersCancelled.value,
      "calls of handlers": totals.handlerCalls.value,
      "calls perhaps unseen": totals.hidden.value, "dispatchers beside": totals.neighbours.value,
      "callbacks": totals.callbacks.value, "deinits": totals.deinits.value,
      "blocking waits timed out": totals.timedOut.value, "probes": totals.probes.value,
      "probes beside a held callback": totals.heldProbes.value,
      "bodies begun": totals.begun.value, "bodies ended": totals.ended.value,
    ]
  }

  static func += (total: inout TotalsSnapshot, other: TotalsSnapshot) {
    total.values.merge(other.values) { $0 + $1 }
  }

  /// All totals that are not zero, in one line.
  var text: String {
    Self.order.compactMap { name in
      values[name].flatMap { $0 == 0 ? nil : "\($0) \(name)" }
    }.joined(separator: ", ")
  }

  static let order = [
    "accepted", "refused", "bodies begun", "bodies ended", "ran", "threw",
    "ticks of repeating timers", "cancelled before the start", "expired", "sync refused",
    "cancellations asked for", "replies asked for", "replies", "blocking waits",
    "blocking waits refused", "blocking waits timed out", "callbacks", "deinits", "probes",
    "probes beside a held callback", "flushes",
    "suspensions", "async calls", "async calls cancelled", "forks", "signal storms, blocked loops",
    "signals raised", "bytes read", "handlers", "handlers cancelled", "calls of handlers",
    "calls perhaps unseen", "dispatchers beside",
  ]
}
