import TaskDispatch
import TaskDispatchTesting
import Testing

/// Puts ``ThreadedDispatcher`` to the contract: what a subject with threads has to say.
struct ThreadedSubject: ContractSubject {
  var provides: DispatcherContract.Provisions { .threads }

  func makeDispatcher(_ configuration: ContractConfiguration) -> ThreadedDispatcher {
    ThreadedDispatcher(configuration)
  }

  func start(_ dispatcher: ThreadedDispatcher) {
    dispatcher.withCore { $0.loopRuns = true }
    dispatcher.startThread { $0.loop() }
  }

  func settle(_ dispatcher: ThreadedDispatcher) {
    dispatcher.withCore { core in
      while !core.isQuiet { dispatcher.park() }
    }
  }

  func end(_ dispatcher: ThreadedDispatcher) {
    dispatcher.withCore { core in
      while core.shutdown?.report == nil { dispatcher.park() }
    }
  }

  func finish(_ dispatcher: ThreadedDispatcher) {
    if dispatcher.withCore({ !$0.loopRuns }) { start(dispatcher) }
    dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
    end(dispatcher)
    dispatcher.withCore { $0.isFinished = true }
    dispatcher.withCore { core in
      while core.threads > 0 { dispatcher.park() }
      core.taskExecutors = [:]
      core.serialExecutors = [:]
    }
  }
}

extension ThreadedCore {
  /// Whether nothing is left that could run now.
  var isQuiet: Bool {
    let time = now.nanoseconds
    return running.isEmpty && deliveries == 0 && outbox.isEmpty && granted == 0
      && !foreground.hasStartable && !due.hasStartable && !pool.canStart(now: { time })
      && (timers.nextDeadline ?? .max) > time
  }
}

@Suite("A dispatcher of threads keeps the dispatcher contract", .serialized)
struct ContractThreadedTests {
  @Test("keeps", arguments: DispatcherContract.rules(for: ThreadedSubject()))
  func keeps(_ rule: DispatcherContract.Rule) throws {
    try rule.check(ThreadedSubject())
  }
}
