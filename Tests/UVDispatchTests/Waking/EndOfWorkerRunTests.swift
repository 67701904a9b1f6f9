import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

@Suite("The spin limit of worker runs")
struct LearnedSpinLimitTests {
  @Test("is set when a worker run is started")
  func started() {
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
