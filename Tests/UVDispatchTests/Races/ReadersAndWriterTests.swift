import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A thousand reads by sync with an asynchronous writer in their middle")
  struct ReadersAndWriterTests {
    @Test("from background tasks end with three worker runs, and see the write or not")
    func backgroundTasks() throws {
      let dispatcher = try UVDispatcher()
      let state = Shared(dispatcher.makeQueue(label: "state", width: 4))
      for number in 0..<1_000 {
        if number == 500 { state.write() }
        dispatcher.background { state.read() }
      }

      dispatcher.runUntilIdle()

      #expect(state.reads == 1_000)
      #expect(state.torn == 0)
      #expect(state.writes == 1)
      #expect(dispatcher.ledger.completed == 2_001)
    }

    @Test("from background tasks that bring writers of their own end as well")
    func writersEverywhere() throws {
      let dispatcher = try UVDispatcher()
      let state = Shared(dispatcher.makeQueue(label: "state", width: 2))
      for number in 0..<1_000 {
        dispatcher.background {
          if number.isMultiple(of: 10) { state.write() }
          if number % 10 == 5 { state.writeNow() }
          state.read()
        }
      }

      dispatcher.runUntilIdle()

      #expect(state.reads == 1_000)
      #expect(state.writes == 200)
      #expect(state.torn == 0)
    }

    @Test("from eight foreign threads end, and see the write or not")
    func foreignThreads() throws {
      let dispatcher = try UVDispatcher()
      let state = Shared(dispatcher.makeQueue(label: "state", width: 4))

      let ended = race(
        (0..<8).map { thread in
          {
            for number in 0..<125 {
              if thread == 3, number == 62 { state.write() }
              state.read()
            }
          }
        })
      dispatcher.runUntilIdle()

      #expect(ended)
      #expect(state.reads == 1_000)
      #expect(state.writes == 1)
      #expect(state.torn == 0)
    }

    @Test("from both at once end, with the loop running and reading too")
    func both() throws {
      let dispatcher = try UVDispatcher()
      let state = Shared(dispatcher.makeQueue(label: "state", width: 1))
      try dispatcher.start()
      for number in 0..<500 {
        dispatcher.background { state.read() }
        if number.isMultiple(of: 5) { dispatcher.foreground { state.read() } }
        if number == 250 { state.write() }
      }

      let ended = race((0..<4).map { _ in { for _ in 0..<100 { state.read() } } })
      dispatcher.end()

      #expect(ended)
      #expect(state.reads == 1_000)
      #expect(state.writes == 1)
      #expect(state.torn == 0)
    }
  }
}

/// Two numbers that readers see equal, because writers are alone in the view.
private final class Shared: @unchecked Sendable {
  // Not atomic on purpose: the view's barriers make it right, and ThreadSanitizer checks that.
  private var left = 0
  private var right = 0
  private let view: TaskQueue
  private let readCount = Box(0)
  private let tornCount = Box(0)

  init(_ view: TaskQueue) { self.view = view }

  var reads: Int { readCount.value }
  var torn: Int { tornCount.value }
  var writes: Int { left }

  func read() {
    do {
      let isWhole = try view.sync { left == right }
      if !isWhole { tornCount.increment() }
      readCount.increment()
    } catch { Issue.record("a read was refused: \(error)") }
  }

  func write() {
    view.barrier { [self] in
      left += 1
      right += 1
    }
  }

  func writeNow() {
    do {
      try view.barrier.sync {
        left += 1
        right += 1
      }
    } catch { Issue.record("a write was refused: \(error)") }
  }
}
