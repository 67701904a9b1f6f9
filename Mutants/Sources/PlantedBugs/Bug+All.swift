extension Bug {
  /// Every bug that can be planted. A test must notice each of them.
  public static let all: [Bug] =
    wakingBugs + fastPathBugs + viewBugs + viewInboxBugs + itemBugs + outsideBugs + submittingBugs
    + limitBugs + stallBugs + stackBugs + recorderBugs + snapshotBugs
    + runningBugs
    + waitingBugs + deadlockSearchBugs + deliveryBugs + callbackBugs
    + shutdownBugs + deadlineBugs + repeatingBugs + poolShareBugs
    + eventBugs + signalMaskBugs + mainQueueBugs + policyBugs + daemonBugs + observingBugs
    + explorationBugs + reductionBugs + exploredWaitBugs + fakeWaitBugs
}
