import TaskDispatch

extension Program {
  /// Programs that are chosen at random with each run, and judged by ``History``. They meet what the authors of the
  /// other programs did not think of.
  static let generated: [Program] = [
    generated("any queues", "calls at random on every kind of queue", .init(Kind.allCases)),
    generated("any serial queue", "calls at random on one serial queue", .init([.serial])),
    generated("any wide queue", "calls at random on one wide queue", .init([.wide])),
    generated(
      "any views", "calls at random on two serial queues and the pool",
      .init([.serial, .serial, .pool])),
    generated(
      "any cancellations", "cancellations of any task, also while it runs",
      .init([.loop, .serial, .pool], calls: .cancelling, inBodies: .cancelling)),
    generated(
      "any timers", "delayed tasks and repeating timers",
      .init([.loop, .serial, .pool], calls: .timing, inBodies: .timingInBodies, takesTime: true)),
    generated(
      "any waits", "threads and bodies that wait, also with a time-out",
      .init(Kind.allCases, calls: .waiting, inBodies: .waitingInBodies, takesTime: true)),
    generated(
      "any syncs", "syncs inside bodies, which may wait for each other",
      .init([.serial, .loop, .serial], calls: .syncing, inBodies: .syncing)),
    generated(
      "any syncs on the pool", "syncs inside bodies of the pool, and barriers",
      .init([.pool, .wide, .serial], calls: .syncing, inBodies: .syncing)),
    generated(
      "any groups", "groups that several threads use",
      .init(
        [.loop, .serial, .pool], calls: .grouping, inBodies: .groupingInBodies, takesTime: true)
    ),
    generated(
      "any Tasks", "Swift Tasks on every kind of queue",
      .init(Kind.allCases, calls: .awaiting, inBodies: .simple, takesTime: true)),
    generated(
      "any limit", "calls under a limit, which refuses",
      .init(Kind.allCases, calls: .limited, inBodies: .simple, overflow: .reject(limit: 1))),
    generated(
      "any limit of two", "calls on one queue under a limit, which refuses",
      .init([.serial], calls: .limited, inBodies: .simple, overflow: .reject(limit: 2))),
    generated(
      "any limit that blocks", "calls under a limit, which blocks",
      .init(
        Kind.allCases, calls: .blocked, inBodies: .blocked,
        overflow: .blockCaller(limit: 1, timeout: nil))),
    generated(
      "any limit that blocks for a time", "calls under a limit, which blocks and then refuses",
      .init(
        [.loop, .serial, .pool], calls: .blocked, inBodies: .blocked, takesTime: true,
        overflow: .blockCaller(limit: 1, timeout: .milliseconds(1)))),
    generated(
      "any two dispatchers", "calls across two dispatchers",
      .init([.loop, .serial, .pool], calls: .across, inBodies: .across, dispatchers: 2)),
    generated(
      "any calls", "all calls on every kind of queue",
      .init(Kind.allCases, calls: .all, inBodies: .allInBodies, takesTime: true)),
    generated("any end", "calls at random, and a shutdown", .init(Kind.allCases, ends: true)),
    generated(
      "any end of views", "calls at random on two serial queues, and a shutdown",
      .init([.serial, .serial], ends: true)),
    generated(
      "any end with timers", "delayed tasks and repeating timers, and a shutdown",
      .init(
        [.loop, .serial, .pool], calls: .timing, inBodies: .timingInBodies, ends: true,
        takesTime: true)),
    generated(
      "any end with waits", "threads and bodies that wait, and a shutdown",
      .init(
        Kind.allCases, calls: .waiting + [.waitForReport], inBodies: .waitingInBodies, ends: true,
        takesTime: true)),
    generated(
      "any end with groups", "groups that several threads use, and a shutdown",
      .init(
        [.loop, .serial, .pool], calls: .grouping, inBodies: .groupingInBodies, ends: true,
        takesTime: true)),
    generated(
      "any end with a limit", "calls under a limit, and a shutdown",
      .init(
        [.loop, .serial, .pool], calls: .blocked, inBodies: .blocked, ends: true,
        overflow: .blockCaller(limit: 1, timeout: nil))),
    generated(
      "any end in time", "bodies that a shutdown may give up",
      .init(
        Kind.allCases, calls: .waiting + [.waitForReport, .after, .every],
        inBodies: .waitingInBodies, ends: true, takesTime: true,
        shutdown: ShutdownPolicy(drain: .milliseconds(1), cancel: .milliseconds(1)))),
    generated(
      "any end of one of two", "calls across two dispatchers, of which one is shut down",
      .init(
        [.loop, .serial, .pool], calls: .across, inBodies: .across, ends: true, dispatchers: 2)),
  ]

  private static func generated(_ name: String, _ about: String, _ setup: Setup) -> Program {
    Program(name, about, threads: 3, calls: setup.ends ? 13 : 12, isGenerated: true) { scene in
      Calls(scene, setup).run()
    }
  }
}

/// A kind of queue.
enum Kind: CaseIterable { case loop, pool, serial, wide }

/// What a generated program is made of.
struct Setup: Sendable {
  let queues: [Kind]
  /// The calls that threads make, and those that bodies make.
  let calls: [Call]
  let inBodies: [Call]
  /// Whether the dispatcher, or the first of them, is shut down between the calls.
  let ends: Bool
  /// Whether bodies and threads let time pass.
  let takesTime: Bool
  let shutdown: ShutdownPolicy
  let overflow: Overflow
  let dispatchers: Int

  init(
    _ queues: [Kind], calls: [Call] = .common, inBodies: [Call] = .simple, ends: Bool = false,
    takesTime: Bool = false, shutdown: ShutdownPolicy = .init(), overflow: Overflow = .unbounded,
    dispatchers: Int = 1
  ) {
    self.queues = queues
    self.calls = calls
    self.inBodies = inBodies
    self.ends = ends
    self.takesTime = takesTime
    self.shutdown = shutdown
    self.overflow = overflow
    self.dispatchers = dispatchers
  }
}

/// A call of a generated program. What it does is at the function of that name in ``Calls``.
enum Call {
  case post, submit, submitInBand, submitForATime, cancel, cancelInBand, barrier, readLedger,
    suspend
  case sync, syncAsBarrier, waitForHandle, waitForOther, waitForTimer, waitForReport
  case cancelOther, after, every, cancelTimer, pass
  case waitForGroup, notify, enterAndLeave, submitIntoGroup, waitForShared, notifyOfShared, observe
  case flush, task
}

extension [Call] {
  /// Calls that do not block. The first is what a schedule is made shorter to.
  static let simple: [Call] = [
    .post, .submit, .submitInBand, .cancel, .cancelInBand, .barrier, .readLedger,
  ]
  static let common: [Call] =
    simple + [.sync, .suspend, .waitForGroup, .notify, .flush, .waitForHandle]
  static let cancelling: [Call] = [
    .submit, .submitInBand, .cancelOther, .cancelOther, .barrier, .cancel,
  ]
  static let timingInBodies: [Call] = [
    .post, .after, .cancelOther, .cancelTimer, .every, .submitForATime,
  ]
  static let timing: [Call] =
    timingInBodies + [.after, .pass, .waitForOther, .waitForTimer, .sync, .suspend]
  static let waitingInBodies: [Call] = [.post, .submit, .sync, .waitForOther, .waitForHandle]
  static let waiting: [Call] =
    waitingInBodies + [.waitForOther, .syncAsBarrier, .pass, .barrier, .cancelOther, .waitForGroup]
  static let syncing: [Call] = [.post, .sync, .sync, .syncAsBarrier, .submit, .barrier]
  static let groupingInBodies: [Call] = [
    .post, .submitIntoGroup, .enterAndLeave, .notifyOfShared, .observe, .waitForShared,
  ]
  static let grouping: [Call] =
    groupingInBodies + [.submitIntoGroup, .waitForShared, .cancelOther, .pass]
  static let awaiting: [Call] = [.post, .task, .task, .task, .submit, .barrier, .sync]
  static let limited: [Call] = simple + [.sync, .suspend, .task, .cancelOther, .notify, .after]
  static let blocked: [Call] = [.post, .submit, .cancelOther, .sync, .barrier, .post]
  static let across: [Call] = simple + [.sync, .sync, .cancelOther, .waitForOther]
  static let allInBodies: [Call] =
    simple + timingInBodies + waitingInBodies + groupingInBodies + [.syncAsBarrier]
  static let all: [Call] = allInBodies + common + [.cancelOther, .task, .pass, .waitForTimer]
}
