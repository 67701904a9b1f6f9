import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("UV_THREADPOOL_SIZE")
  struct PoolSizeTests {
    @Test(
      "decides how many threads there are, and how many bodies run at a time",
      arguments: [(1, 1), (2, 1), (4, 3), (16, 15)])
    func size(threads: Int, width: Int) async {
      await #expect(processExitsWith: .success) { [threads, width] in
        blocking {
          let dispatcher = dispatcher(poolSize: "\(threads)")
          #expect(dispatcher.effectivePoolThreads == threads)
          #expect(dispatcher.effectiveBackgroundWidth == width)
          // As many bodies as the width says are inside together, and no more.
          let inside = Latch(width)
          let meter = Meter()
          for _ in 0..<3 * width {
            dispatcher.background {
              meter.count {
                inside.open()
                #expect(inside.wait(patience), "the width is not reached")
              }
            }
          }
          dispatcher.runUntilIdle()
          #expect(meter.most == width, "\(meter.most) ran at a time")
        }
      }
    }

    @Test("of one thread still runs views, barriers, syncs and waits", arguments: [1, 2])
    func oneThread(threads: Int) async {
      await #expect(processExitsWith: .success) { [threads] in
        blocking {
          let dispatcher = dispatcher(poolSize: "\(threads)")
          let view = dispatcher.makeQueue(label: "view", width: 4)
          let other = dispatcher.makeQueue(label: "other", width: 1)
          let count = Box(0)
          for _ in 0..<20 {
            dispatcher.background {
              // No other thread can run it, so the worker that waits does.
              try! view.sync { _ = count.increment() }
              try! other.sync { _ = count.increment() }
              view { count.increment() }
              view.barrier { count.increment() }
            }
          }
          dispatcher.runUntilIdle()
          #expect(count.value == 80, "\(count.value)")
          #expect(dispatcher.ledger.completed == 100)
        }
      }
    }

    @Test("with more than 1024 threads, or text, or nothing that means something, is an error")
    func nonsense() async {
      for text in [
        "abc", "0", "-3", "", " ", "4 ", " 4", "4x", "1025", "99999999999999999999", "0x4",
      ] {
        await #expect(processExitsWith: .success) { [text = text as String] in
          blocking {
            unsafe setenv("UV_THREADPOOL_SIZE", text, 1)
            do {
              _ = try UVDispatcher()
              fatalError("\"\(text)\" was accepted")
            } catch let error as UVDispatcher.ConfigurationError {
              #expect(error == .threadPoolSize(text))
              #expect("\(error)".contains("\"\(text)\""), "\(error)")
            } catch { fatalError("\(error)") }
          }
        }
      }
    }

    @Test("that changes once the pool has begun changes nothing")
    func lateChange() async {
      await #expect(processExitsWith: .success) {
        blocking {
          let first = dispatcher(poolSize: "2")
          first.background {}
          first.runUntilIdle()
          let second = dispatcher(poolSize: "16")
          #expect(second.effectivePoolThreads == 2)
        }
      }
    }

    @Test("that changed since other code began to use the pool is not believed")
    func othersPool() async {
      await #expect(processExitsWith: .success) {
        blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let served = Latch()
          Adopted.usePool { served.open() }
          #expect(served.wait(patience))
          let dispatcher = dispatcher(poolSize: "16")
          #expect(
            dispatcher.effectivePoolThreads == 2,
            "it says \(dispatcher.effectivePoolThreads), and there are 2")
        }
      }
    }

    @Test("holds a width that asks for more, and lets one ask for less")
    func widthAskedFor() async {
      for (asked, width) in [(1, 1), (2, 2), (3, 3), (4, 3), (100, 3), (Int.max, 3)] {
        await #expect(processExitsWith: .success) { [asked = asked as Int, width = width as Int] in
          blocking {
            unsafe setenv("UV_THREADPOOL_SIZE", "4", 1)
            guard let dispatcher = try? UVDispatcher(.init(backgroundWidth: asked)) else {
              fatalError()
            }
            #expect(dispatcher.effectiveBackgroundWidth == width)
          }
        }
      }
    }
  }
}

private func dispatcher(poolSize: String) -> UVDispatcher {
  unsafe setenv("UV_THREADPOOL_SIZE", poolSize, 1)
  do { return try UVDispatcher() } catch { fatalError("\(error)") }
}
