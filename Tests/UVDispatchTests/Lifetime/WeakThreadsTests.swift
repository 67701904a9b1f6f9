import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  /// The watchdog and the thread of a shutdown's deadlines refer to their dispatcher weakly, and both call user code.
  @Suite("A thread that refers to its dispatcher weakly")
  struct WeakThreadsTests {
    @Test("keeps the dispatcher while the observer looks at a stall")
    func watchdog() throws {
      let observer = HeldObserver { if case .stalled = $0 { true } else { false } }
      let known = WeakDispatcher()
      try {
        let dispatcher = try UVDispatcher(
          .init(stallThreshold: .milliseconds(1), observer: observer))
        known.dispatcher = dispatcher
        observer.looks = { known.dispatcher != nil }
        dispatcher.foreground {
          observer.began.hold(patience)
          dispatcher.beginShutdown(ShutdownPolicy(drain: .milliseconds(1), cancel: .zero))
        }
        // It returns although that callback does not. After it only the watchdog may hold the dispatcher.
        dispatcher.run()
      }()
      observer.mayGoOn.open()
      #expect(observer.ended.wait(patience))
      #expect(observer.wasThere.value == true)
    }

    @Test("keeps the dispatcher while the observer looks at what its deadline has cancelled")
    func deadline() throws {
      let observer = HeldObserver {
        if case .finished(.cancelled) = $0 { true } else { false }
      }
      let known = WeakDispatcher()
      try {
        let dispatcher = try UVDispatcher(.init(observer: observer))
        known.dispatcher = dispatcher
        observer.looks = { known.dispatcher != nil }
        let held = dispatcher.makeQueue(label: "held", width: 1)
        held.suspend()
        held(label: "waits") {}
        dispatcher.beginShutdown(ShutdownPolicy(drain: .milliseconds(1), cancel: .zero))
        #expect(observer.began.wait(patience))
        held.resume()
      }()
      observer.mayGoOn.open()
      #expect(observer.ended.wait(patience))
      #expect(observer.wasThere.value == true)
    }
  }
}

private final class WeakDispatcher: @unchecked Sendable {
  // Set by the test before another thread reads it.
  weak var dispatcher: UVDispatcher?
}

/// Holds the first event that is wanted until the test lets it go on, and looks for the dispatcher then.
private final class HeldObserver: TaskObserver, @unchecked Sendable {
  let began = Latch()
  let mayGoOn = Latch()
  let ended = Latch()
  let wasThere = Box<Bool?>(nil)
  /// Set by the test before anything is submitted.
  var looks: @Sendable () -> Bool = { false }
  private let isWanted: @Sendable (TaskEvent.Kind) -> Bool

  init(_ isWanted: @escaping @Sendable (TaskEvent.Kind) -> Bool) { self.isWanted = isWanted }

  func observe(_ event: TaskEvent) {
    guard isWanted(event.kind), wasThere.value == nil else { return }
    began.open()
    _ = mayGoOn.wait(patience)
    wasThere.value = looks()
    ended.open()
  }
}
