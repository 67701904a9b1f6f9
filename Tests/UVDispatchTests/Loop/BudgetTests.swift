import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("The budget of an iteration of the loop")
  struct BudgetTests {
    @Test(
      "lets a descriptor be served among ten thousand tasks, plain or with a handle",
      arguments: [false, true])
    func descriptorAmongPosts(haveHandles: Bool) throws {
      let dispatcher = try UVDispatcher(
        .init(loopBudget: .init(tasks: 16, time: .seconds(3600))))
      let pipe = readablePipe()
      let ran = Box(0)
      let ranWhenServed = Box<Int?>(nil)
      dispatcher.foreground {
        unsafe dispatcher.withLoop { loop in
          unsafe Adopted.onceReadable(pipe.readEnd, on: loop) { ranWhenServed.value = ran.value }
        }
      }
      for _ in 0..<10_000 { submit(to: dispatcher, hasHandle: haveHandles) { ran.increment() } }

      dispatcher.runUntilIdle()

      #expect(ran.value == 10_000)
      // The iteration in which the handle was registered, and one or two more.
      #expect(try #require(ranWhenServed.value) <= 4 * 16)
    }

    @Test("is a time as well", arguments: [false, true])
    func time(haveHandles: Bool) throws {
      let dispatcher = try UVDispatcher(
        .init(loopBudget: .init(tasks: .max, time: .milliseconds(1))))
      let pipe = readablePipe()
      let ran = Box(0)
      let ranWhenServed = Box<Int?>(nil)
      dispatcher.foreground {
        unsafe dispatcher.withLoop { loop in
          unsafe Adopted.onceReadable(pipe.readEnd, on: loop) { ranWhenServed.value = ran.value }
        }
      }
      for _ in 0..<50 {
        submit(to: dispatcher, hasHandle: haveHandles) {
          let end = dispatcher.now.advanced(by: .milliseconds(1))
          while dispatcher.now < end {}
          ran.increment()
        }
      }

      dispatcher.runUntilIdle()

      #expect(ran.value == 50)
      #expect(try #require(ranWhenServed.value) <= 4)
    }

    @Test("lets timers and descriptors be served beside a task that posts itself for ever")
    func selfPosting() throws {
      let dispatcher = try UVDispatcher()
      let pipe = readablePipe()
      let served = Box(Set<String>())
      let isOver = Box(false)
      @Sendable func serve(_ name: String) {
        let count = served.change { served in
          served.insert(name)
          return served.count
        }
        if count == 3 { isOver.value = true }
      }
      let rounds = Box(0)
      @Sendable func again() {
        // Only a broken loop reaches this count.
        guard !isOver.value, rounds.increment() < 2_000_000 else { return }
        dispatcher.foreground { again() }
      }
      dispatcher.foreground {
        unsafe dispatcher.withLoop { loop in
          unsafe Adopted.onceReadable(pipe.readEnd, on: loop) { serve("descriptor") }
        }
        again()
      }
      dispatcher.foreground.after(.milliseconds(1)) { serve("timer") }
      dispatcher.background.after(.milliseconds(1)) { serve("timer of the background") }

      dispatcher.runUntilIdle()

      #expect(served.value == ["descriptor", "timer", "timer of the background"])
      #expect(rounds.value < 2_000_000)
    }

    @Test("of one task an iteration still runs everything, in order")
    func smallest() throws {
      let dispatcher = try UVDispatcher(
        .init(loopBudget: .init(tasks: 1, time: .nanoseconds(1))))
      let order = Box([Int]())
      for number in 0..<500 { dispatcher.foreground { order.change { $0.append(number) } } }

      dispatcher.runUntilIdle()

      #expect(order.value == Array(0..<500))
    }

    @Test("counts timers that are due together too")
    func timers() throws {
      let dispatcher = try UVDispatcher(
        .init(loopBudget: .init(tasks: 8, time: .seconds(3600))))
      let pipe = readablePipe()
      let ran = Box(0)
      let ranWhenServed = Box<Int?>(nil)
      for _ in 0..<1_000 { dispatcher.foreground.after(.nanoseconds(1)) { ran.increment() } }
      dispatcher.foreground {
        unsafe dispatcher.withLoop { loop in
          unsafe Adopted.onceReadable(pipe.readEnd, on: loop) { ranWhenServed.value = ran.value }
        }
      }

      dispatcher.runUntilIdle()

      #expect(ran.value == 1_000)
      #expect(ranWhenServed.value != nil)
    }
  }
}

private func submit(
  to dispatcher: UVDispatcher, hasHandle: Bool, _ body: @escaping @Sendable () -> Void
) {
  if hasHandle { dispatcher.foreground.submit(body) } else { dispatcher.foreground(body) }
}

/// A pipe with a byte in it.
private func readablePipe() -> Pipe {
  let pipe = Pipe()
  pipe.write()
  return pipe
}
