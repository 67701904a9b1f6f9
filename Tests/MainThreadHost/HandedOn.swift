// A release build shows only what the public interface shows.
#if DEBUG
  import Dispatch

  @testable import UVDispatch

  /// If one loop takes the wake of the main queue and runs nothing, the next loop still learns that work waits
  /// there.
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
