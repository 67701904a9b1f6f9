// In a release build there is nothing to be seen but what everybody sees.
#if DEBUG
  import Dispatch

  @testable import UVDispatch

  /// What one loop has heard of and not run, the next one hears of.
  @MainActor func handedOn() throws {
    let (one, next) = (try EventLoop(), try EventLoop())
    try MainQueue.prepare()
    _ = MainQueue.takeWake()
    one.servingMainQueue {
      DispatchQueue.main.async {}
      expect(one.hasMainQueueWork(looks: true), "it has heard of nothing")
    }
    next.servingMainQueue {
      expect(next.hasMainQueueWork(looks: true), "it has taken the wake with it")
      next.runMainQueue()
      expect(!next.hasMainQueueWork(looks: true), "it hears of what has run")
    }
    expect(!MainQueue.takeWake(), "a wake is left over")
  }
#endif
