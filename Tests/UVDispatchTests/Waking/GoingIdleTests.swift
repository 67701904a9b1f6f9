import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// The window between a consumer's last look at an inbox and its going idle. The test plays the submitting
  /// thread and has the lock of the inbox: the consumer has looked, and waits for that lock.
  @Suite("A consumer that looks into an inbox, and is about to go idle,")
  struct GoingIdleTests {
    private let dispatcher: UVDispatcher
    private let ran = Latch()

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    /// Starts a body that ends when the flag is raised, and returns its thread.
    private func thread(of lane: Lane, endingWith mayEnd: Flag) throws -> KernelThread {
      let (thread, started) = (Box<KernelThread?>(nil), Latch())
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      queue {
        thread.value = .current
        started.open()
        // The thread is awake, so it next sleeps where it wants to go idle.
        while !mayEnd.isRaised {}
      }
      try #require(started.wait(patience))
      return try #require(thread.value)
    }

    @Test(
      "finds what is posted before it does, of which no other thread is told",
      arguments: Lane.allCases)
    func postedBeforeRest(lane: Lane) throws {
      let inbox = dispatcher.inbox(of: lane)
      let mayEnd = Flag()
      if lane == .foreground { try dispatcher.start() }
      let thread = try thread(of: lane, endingWith: mayEnd)
      #expect(inbox.beginPost())
      mayEnd.raise()
      #expect(thread.waitUntilItSleeps())

      let mustNotify = inbox.post(.plainOne { [ran] in ran.open() })

      #expect(!mustNotify)
      #expect(ran.wait(patience))
      end(lane)
    }

    @Test("is notified again by a thread that posts after that", arguments: Lane.allCases)
    func postedAfterRest(lane: Lane) throws {
      let inbox = dispatcher.inbox(of: lane)
      let mayEnd = Flag()
      if lane == .foreground { try dispatcher.start() }
      _ = try thread(of: lane, endingWith: mayEnd)
      mayEnd.raise()
      dispatcher.waitUntil { _ in !inbox.isNotified }

      #expect(inbox.beginPost())
      let mustNotify = inbox.post(.plainOne { [ran] in ran.open() })

      #expect(mustNotify)
      dispatcher.engine.notifyConsumer(of: lane)
      #expect(ran.wait(patience))
      end(lane)
    }

    @Test("is replaced, where a quantum is over, by one that finds what was posted in between")
    func postedBeforeQuantumEnds() throws {
      let inbox = dispatcher.inbox(of: .background)
      let mayEnd = Flag()
      _ = try thread(of: .background, endingWith: mayEnd)
      let end = dispatcher.now.advanced(by: .milliseconds(3))
      while dispatcher.now < end {}
      #expect(inbox.beginPost())

      let mustNotify = inbox.post(.plainOne { [ran] in ran.open() })
      mayEnd.raise()

      #expect(!mustNotify)
      #expect(ran.wait(patience))
      self.end(.background)
    }

    @Test(
      "does not leave what a thread brings that has begun to post before a shutdown",
      arguments: Lane.allCases)
    func postedBeforeShutdown(lane: Lane) throws {
      let inbox = dispatcher.inbox(of: lane)
      #expect(inbox.beginPost())
      let closer = WatchedThread { [dispatcher] in
        dispatcher.beginShutdown(.init(drain: .seconds(3600)))
      }
      #expect(closer.waitUntilItSleeps())

      let mustNotify = inbox.post(.plainOne { [ran] in ran.open() })
      #expect(mustNotify)
      #expect(closer.join())
      dispatcher.engine.notifyConsumer(of: lane)
      let report = dispatcher.run()

      #expect(ran.isOpen)
      #expect(report.ledger.completed == 1)
      #expect(report.ledger.balances)
    }

    private func end(_ lane: Lane) {
      if lane == .foreground { dispatcher.end() } else { dispatcher.runUntilIdle() }
    }
  }
}
