import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("While several threads are about one item,")
  struct ItemRaceTests {
    @Test("every observer of its outcome is told once, whether it comes before the end or after")
    func observers() {
      for _ in 0..<2_000 {
        let item = anItem()
        let calls = (0..<3).map { _ in Counter() }
        let isRight = Counter()
        func observe(_ number: Int) -> @Sendable () -> Void {
          {
            item.whenFinished { outcome in
              calls[number].increment()
              if outcome == .completed, item.outcome == .completed { isRight.increment() }
            }
          }
        }

        let ended = race(
          [observe(0), observe(1), observe(2)] + [
            {
              _ = item.begin()
              item.finish(item.run())
            }
          ])

        #expect(ended)
        #expect(calls.map(\.value) == [1, 1, 1])
        #expect(isRight.value == 3)
      }
    }

    @Test("one of the threads that begin or end it wins, and only then the outcome is known")
    func oneWinner() {
      for _ in 0..<2_000 {
        let item = anItem()
        let begun = Counter()
        let ended = Counter()
        let begin: @Sendable () -> Void = { if item.begin() { begun.increment() } }
        let end: @Sendable () -> Void = {
          if item.finish(.cancelled) { ended.increment() }
        }

        #expect(race([begin, begin, end, end, { item.whenFinished { _ in } }]))

        #expect(begun.value + ended.value == 1)
        #expect(item.outcome == (ended.value == 1 ? .cancelled : nil))
        #expect(item.isRunning == (begun.value == 1))
      }
    }

    private func anItem() -> WorkItem {
      WorkItem.make(
        kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
        label: nil, site: .here()
      ) {}
    }
  }
}

@Suite("What is asked of an item early")
struct EarlyQuestionTests {
  @Test(
    "is still answered when it has begun and ended: its observers are told, its failure is seen")
  func kept() {
    let item = WorkItem.make(
      kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
      label: nil, site: .here()
    ) { throw CancellationError() }
    let calls = Counter()
    item.whenFinished { _ in calls.increment() }
    item.noteFailureSeen()

    let hasBegun = item.begin()
    #expect(item.isRunning)
    #expect(item.outcome == nil)
    let hasEnded = item.finish(item.run())

    #expect(hasBegun)
    #expect(hasEnded)
    #expect(calls.value == 1)
    #expect(item.failureIsSeen)
    #expect(!item.isRunning)
    #expect(!item.begin())
    #expect(!item.finish(.cancelled))
  }

  @Test("is forgotten once it is answered")
  func forgotten() {
    let item = WorkItem.make(
      kind: .task, queue: TaskQueue(dispatcher: RecordingDispatcher(), lane: .background),
      label: nil, site: .here()
    ) {}
    var counter: Counter? = Counter()
    weak let held = counter
    item.whenFinished { [counter] _ in counter?.increment() }
    counter = nil
    #expect(held != nil)

    item.finish(.cancelled)

    #expect(held == nil)
  }
}
