/// One way to break one rule. ``FaultyDispatcher`` has at most one of them.
enum Fault: String, CaseIterable, Sendable {
  case runsInsideSubmission, runsInsideResume

  case runsTwice, drops, losesBalance, tellsTwice, forgetsToTell, forgetsParents, runsExpired
  case leavesGroupEarly, neverLeavesGroup, refusesWithinLimit, acceptsBeyondLimit

  case reordersWithinBand, letsPlainOvertake, syncIgnoresOrder, ignoresSuspension, flushesEarly

  case overlapsForeground, exceedsWidth, isCurrentEverywhere

  case hasOneWorker

  case barrierIsNone, barrierStartsEarly, barrierHoldsEverybody

  case ignoresPriority, neverAges, agesAtOnce

  case firesEarly, ignoresDeadlines, swapsCatchUp, overflowsDelays, clockGoesBack

  case ignoresCancel, saysBeforeStart, neverRaisesFlag, cancelsWhenItsTurnComes,
    saysRequestedTooLate
  case timersOutliveCancel

  case backgroundNeedsLoop

  case starvesTimers

  case drainsNothing, acceptsAfterShutdown, refusesOwnWork, unbalancedReport, forgetsUnfinished
  case runsSkippedWork, runsTimersAtShutdown, rearmsRepeats, reportsTooEarly

  case runsNestedSync, refusesEveryWait, emptyChain, runsRefusedSync

  case keepsBodies

  case tellsInside

  case losesDeliveries, tellsAllReadiness, ignoresRemoval, watchesTwice, registersAfterShutdown

  /// The number of the rule that it breaks.
  var rule: Int {
    switch self {
    case .runsInsideSubmission, .runsInsideResume: 1
    case .runsTwice, .drops, .losesBalance, .tellsTwice, .forgetsToTell, .forgetsParents,
      .runsExpired, .leavesGroupEarly, .neverLeavesGroup, .refusesWithinLimit, .acceptsBeyondLimit:
      2
    case .reordersWithinBand, .letsPlainOvertake, .syncIgnoresOrder, .ignoresSuspension,
      .flushesEarly:
      3
    case .overlapsForeground, .exceedsWidth, .isCurrentEverywhere: 4
    case .hasOneWorker: 5
    case .barrierIsNone, .barrierStartsEarly, .barrierHoldsEverybody: 6
    case .ignoresPriority, .neverAges, .agesAtOnce: 7
    case .firesEarly, .ignoresDeadlines, .swapsCatchUp, .overflowsDelays, .clockGoesBack: 8
    case .ignoresCancel, .saysBeforeStart, .neverRaisesFlag, .cancelsWhenItsTurnComes,
      .saysRequestedTooLate, .timersOutliveCancel:
      9
    case .backgroundNeedsLoop: 10
    case .starvesTimers: 11
    case .drainsNothing, .acceptsAfterShutdown, .refusesOwnWork, .unbalancedReport,
      .forgetsUnfinished, .runsSkippedWork, .runsTimersAtShutdown, .rearmsRepeats,
      .reportsTooEarly:
      13
    case .runsNestedSync, .refusesEveryWait, .emptyChain, .runsRefusedSync: 14
    case .keepsBodies: 17
    case .losesDeliveries, .tellsAllReadiness, .ignoresRemoval, .watchesTwice,
      .registersAfterShutdown:
      19
    case .tellsInside: 20
    }
  }
}
