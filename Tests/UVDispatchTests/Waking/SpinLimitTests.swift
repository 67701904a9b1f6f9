import Glibc
import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("How long a worker run that has run out of tasks looks for another")
struct SpinLimitTests {
  private static let start: Int64 = 1_000_000_000

  private var spinLimit = SpinLimit()

  /// Starts a worker run `gap` nanoseconds after the last one has begun to spin in vain.
  private mutating func startLease(after gap: Int64) {
    spinLimit.noteInVain(since: Self.start - gap)
    spinLimit.learn(at: Self.start)
  }

  private mutating func allowsSearch(at now: Int64 = start, away: Int64 = 0) -> Bool {
    spinLimit.allowsSearch(at: now, away: away)
  }

  @Test("is nothing at first")
  mutating func atFirst() {
    spinLimit.learn(at: .min + 1)

    #expect(spinLimit.length == 0)
    #expect(!allowsSearch())
  }

  @Test("is four microseconds if that would have met the task for which the next run is started")
  mutating func worthIt() {
    startLease(after: 3_999)

    #expect(spinLimit.length == 4_000)
    #expect(allowsSearch())
  }

  @Test("is halved each time that it would not have, until it is nothing")
  mutating func inVain() {
    startLease(after: 0)

    var lengths: [Int64] = []
    while spinLimit.length > 0, lengths.count < 20 {
      startLease(after: 4_000)
      lengths.append(spinLimit.length)
    }

    #expect(lengths.prefix(3) == [2_000, 1_000, 500])
    #expect(lengths.last == 0)
    #expect(!allowsSearch())
  }

  @Test("is learned from a run that was not allowed to look, too")
  mutating func notAllowed() {
    #expect(!allowsSearch())

    spinLimit.learn(at: Self.start + 3_999)

    #expect(spinLimit.length == 4_000)
  }

  @Test("is nothing on a processor that others have when it gives way; the next run looks again")
  mutating func shared() {
    startLease(after: 0)

    #expect(allowsSearch(away: 1_200))
    #expect(!allowsSearch(away: 1_201))
    #expect(spinLimit.leftAt == Self.start)

    spinLimit.learn(at: Self.start + 3_999)
    #expect(allowsSearch(at: Self.start + 3_999))
  }

  @Test("is as ever where leaving a shared processor has not helped, for a tenth of a millisecond")
  mutating func sharedAgain() {
    startLease(after: 0)
    #expect(!allowsSearch(away: 5_000))

    #expect(allowsSearch(at: Self.start + 99_999, away: 5_000))
    #expect(!allowsSearch(at: Self.start + 100_000, away: 5_000))
    #expect(allowsSearch(at: Self.start + 100_001, away: 5_000))
  }

  @Test("is learned when a worker run is started")
  func startedLease() {
    let bare = BareCore()
    bare.queued()
    bare.core.workers.spinLimit.noteInVain(since: bare.core.now)

    bare.core.reconcile()

    #expect(bare.core.workers.pending == 1)
    #expect(bare.core.workers.spinLimit.length == 4_000)
  }
}

extension OnePool {
  @Suite("A worker run that has run out of tasks")
  struct LeaseEndTests {
    @Test(
      "notes when it looked in vain, or would have", arguments: [0, 1_000_000] as [Int64])
    func notes(length: Int64) throws {
      let dispatcher = try UVDispatcher()
      var hasNoted = false
      let end = dispatcher.now.advanced(by: patience)
      while !hasNoted, dispatcher.now < end {
        dispatcher.engine.withCore { $0.workers.spinLimit = SpinLimit(length: length) }
        dispatcher.background {}
        dispatcher.waitUntil { core in
          hasNoted = core.workers.spinLimit.vainSince > .min
          return core.accounts.ledger.running == 0 && core.accounts.ledger.waiting == 0
            && core.workers.searching == 0
        }
        // A worker run that the kernel has kept from its processor for a whole time slice ends without a look.
      }
      #expect(hasNoted)
    }

    @Test("leaves a processor that it shares with the submitting thread")
    func leavesSharedProcessor() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          // Called before libuv starts its threads, so that they stay on this processor too.
          try stayOnOneProcessor()
          let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
          let completed = Box(0)
          var (submitted, hasLeft) = (0, false)
          let end = dispatcher.now.advanced(by: patience)

          while !hasLeft {
            dispatcher.engine.withCore { core in
              hasLeft = core.workers.spinLimit.leftAt > .min
              // Longer than it ever is: code that is not optimised is too slow to give way within the usual
              // limit.
              if !hasLeft { core.workers.spinLimit = SpinLimit(length: 100_000_000) }
            }
            dispatcher.background { completed.increment() }
            submitted += 1
            while completed.value < submitted {
              precondition(dispatcher.now < end, "no lease has left")
              sched_yield()
            }
          }
        }
      }
    }
  }
}

/// Keeps the calling thread, and the threads that it starts, on the processor on which it runs.
private func stayOnOneProcessor() throws {
  typealias Ask = @convention(c) () -> Int32
  typealias Keep = @convention(c) (pid_t, Int, UnsafeRawPointer) -> Int32
  let ask = unsafe unsafeBitCast(dlsym(nil, "sched_getcpu")!, to: Ask.self)
  let keep = unsafe unsafeBitCast(dlsym(nil, "sched_setaffinity")!, to: Keep.self)
  let number = Int(ask())
  var processors = [UInt8](repeating: 0, count: 128)
  processors[number / 8] = 1 << (number % 8)

  let status = unsafe processors.withUnsafeBytes { unsafe keep(0, $0.count, $0.baseAddress!) }
  try #require(status == 0)
}
