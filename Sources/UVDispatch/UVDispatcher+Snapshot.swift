public import TaskDispatch

extension UVDispatcher {
  public func snapshot() -> DispatcherSnapshot {
    if ForkGuard.isForked {
      return DispatcherSnapshot(label: engine.settings.label, time: now, ledger: Ledger())
    }
    return DispatcherSnapshot(engine.withCore { $0.snapshotFacts() }, settingOfSnapshots)
  }

  var settingOfSnapshots: DispatcherSnapshot.Setting {
    DispatcherSnapshot.Setting(
      label: engine.settings.label, poolThreads: effectivePoolThreads,
      width: effectiveBackgroundWidth, reason: reasonOfWidth)
  }

  /// Why at most so many bodies run on the pool at a time.
  private var reasonOfWidth: String {
    if let asked = engine.settings.backgroundWidth, asked <= effectiveBackgroundWidth {
      return "the configuration asks for that"
    }
    return effectivePoolThreads == 1
      ? "the pool has one thread" : "one thread stays free for libuv's own work"
  }
}

extension UVDispatcher: CustomStringConvertible {
  /// One line: the label, and how many submissions there were and how they have ended. ``snapshot()`` tells more.
  public var description: String {
    if ForkGuard.isForked { return "UVDispatcher \"\(engine.settings.label)\" in a forked child" }
    return "UVDispatcher \"\(engine.settings.label)\": \(ledger)"
  }
}
