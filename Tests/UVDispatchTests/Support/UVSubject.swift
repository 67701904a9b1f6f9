import TaskDispatch
import TaskDispatchContract
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Checks ``UVDispatcher`` against the contract. Its loop runs on a thread of its own.
struct UVSubject: ContractSubject {
  var provides: DispatcherContract.Provisions { [.threads, .sharedPool, .events] }
  /// Those that were opened, which stay open for as long as the subject lives.
  private let pipes = Box([CInt: Pipe]())

  func makeDispatcher(_ configuration: ContractConfiguration) throws -> UVDispatcher {
    try UVDispatcher(
      .init(
        backgroundWidth: configuration.width, overflow: configuration.overflow,
        agingStep: configuration.agingStep, observer: configuration.observer))
  }

  func start(_ dispatcher: UVDispatcher) throws { try dispatcher.start() }

  func runUntilIdle(_ dispatcher: UVDispatcher) { dispatcher.waitUntil { $0.isIdle } }

  func end(_ dispatcher: UVDispatcher) { dispatcher.waitUntil { $0.closing.report != nil } }

  func finish(_ dispatcher: UVDispatcher) throws {
    if dispatcher.engine.withCore({ !$0.loopThread.isClaimed && !$0.loop.isOver }) {
      try start(dispatcher)
    }
    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
    dispatcher.waitUntil { $0.loop.isOver }
  }

  func usePool(of dispatcher: UVDispatcher, _ work: @escaping @Sendable () -> Void) {
    WorkerRuns.start(work)
  }

  func raise(_ signal: Signal, to dispatcher: UVDispatcher) { deliver(signal) }

  func openDescriptor(for dispatcher: UVDispatcher) -> CInt {
    let pipe = Pipe()
    pipes.change { $0[pipe.readEnd] = pipe }
    return pipe.readEnd
  }

  func makeReadable(_ descriptor: CInt, for dispatcher: UVDispatcher) {
    pipes.value[descriptor]?.write()
  }

  func makeUnreadable(_ descriptor: CInt, for dispatcher: UVDispatcher) {
    pipes.value[descriptor]?.read()
  }
}

extension UVDispatcher {
  /// Waits until `count` threads are blocked in the dispatcher, apart from the calling one; fails the test if
  /// they never are.
  func waitUntilBlocked(_ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
    waitUntil(sourceLocation: sourceLocation) { $0.blocked.threads.count == count + 1 }
  }

  /// Waits until `condition` holds of what the dispatcher knows; fails the test if it never does. The calling
  /// thread counts among those that are blocked.
  func waitUntil(sourceLocation: SourceLocation = #_sourceLocation, _ condition: (Core) -> Bool) {
    let core = engine.lock()
    core.doors.callbackCounts.addParty()
    let end = core.instant.advanced(by: patienceWithTasks)
    let thread = engine.block(for: .anything, mayTimeOut: true)
    var holds = condition(core)
    while !holds, core.instant < end {
      engine.park(thread, until: end)
      holds = condition(core)
    }
    engine.unblock(thread)
    core.doors.callbackCounts.removeParty()
    engine.unlock()
    if !holds { Issue.record("it never came about", sourceLocation: sourceLocation) }
  }
}
