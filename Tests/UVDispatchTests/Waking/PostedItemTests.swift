import TaskDispatch
import Testing

import struct RandomTesting.Dice

@testable import TaskDispatchTesting
@testable import UVDispatch

/// A submission with a handle, a label or a group comes in as plain bodies do. It has neither number nor
/// position before it starts, unless some code asks for it.
@Suite("An item that was posted")
struct PostedItemTests {
  private let bare = BareCore(width: 2, viewWidth: 2)
  private var core: Core { bare.core }

  enum Stand: CaseIterable, CustomTestStringConvertible {
    case foreground, background, view

    var testDescription: String { "\(self)" }
    var lane: Lane { self == .foreground ? .foreground : .background }
  }

  private func view(of stand: Stand) -> UVView? { stand == .view ? bare.view : nil }

  private func post(_ stand: Stand) -> WorkItem { bare.posted(on: stand.lane, view(of: stand)) }

  private func start(_ stand: Stand, in context: BatchContext? = nil) -> RunningTask? {
    let context = context ?? core.makeContext(on: stand.lane)
    return stand == .foreground ? core.beginOnLoop(in: context) : core.beginOnWorker(in: context)
  }

  // MARK: What is posted

  @Test(
    "has the submitting thread notify a consumer, if none of the inbox is notified",
    arguments: Stand.allCases)
  func fetches(stand: Stand) {
    // On the background and in a view two bodies may run, so two posts notify a consumer.
    let notifying = stand == .foreground ? 1 : 2

    for number in 0..<3 {
      let begun = core.doors.post(
        bare.fresh(on: stand.lane, view(of: stand)), to: view(of: stand), parent: nil)
      #expect(begun == (number < notifying ? .mustNotify : .isNotified))
    }
    #expect(core.accounts.ledger.accepted == 0)

    core.drainAll()

    #expect(core.accounts.ledger.accepted == 3)
    #expect(core.accounts.ledger.waiting == 3)
    #expect(core.releaseEverything().count == 3)
  }

  @Test("wants nothing but to run among the plain bodies of its queue")
  func others() {
    func isPosted(_ item: WorkItem, in core: Core, _ view: UVView? = nil) -> Bool {
      core.doors.post(item, to: view, parent: nil) != .isRefused
    }
    #expect(isPosted(bare.fresh(.reply, on: .foreground), in: core))
    #expect(isPosted(bare.fresh(on: .foreground, band: .high), in: core))
    #expect(!isPosted(bare.fresh(band: .high), in: core))
    #expect(!isPosted(bare.fresh(band: .low), in: core))
    #expect(!isPosted(bare.fresh(on: .background, bare.view, isBarrier: true), in: core, bare.view))
    #expect(!isPosted(bare.fresh(timeToLive: .seconds(1)), in: core))
    #expect(!isPosted(bare.fresh(.timer), in: core))
    #expect(!isPosted(bare.fresh(.event, on: .foreground), in: core))
    #expect(!isPosted(bare.fresh(.notification), in: core))
    #expect(!isPosted(bare.fresh(.job), in: core))
    let limited = BareCore(overflow: .reject(limit: 1))
    #expect(!isPosted(limited.fresh(), in: limited.core))
    #expect(core.releaseEverything().count == 2)
  }

  @Test(
    "is not posted once the gate is closed, and nothing has changed then", arguments: Stand.allCases
  )
  func closed(stand: Stand) {
    core.closeInboxes()
    let item = bare.fresh(on: stand.lane, view(of: stand))

    #expect(core.doors.post(item, to: view(of: stand), parent: nil) == .isRefused)

    #expect(item.place.stage == .nowhere)
    #expect(item.place.parent == 0)
  }

  @Test("knows its parent and when it was submitted")
  func origins() {
    let item = bare.fresh()
    _ = core.doors.post(item, to: nil, parent: 7)

    let task = core.task(for: item)

    #expect(task.record.parent == TaskID(7))
    #expect(task.enqueuedAt == item.place.since.nanoseconds)
    #expect(start(.background) === task)
    #expect(task.record.parent == TaskID(7))
    core.finish(task, .completed)
    #expect(core.releaseEverything().isEmpty)
  }

  // MARK: Finding it

  @Test("is cancelled wherever it is on its way", arguments: Stand.allCases, [false, true])
  func cancelled(stand: Stand, isCollected: Bool) {
    let items = (0..<3).map { _ in post(stand) }
    if isCollected { core.drainAll() }

    #expect(core.cancel(items[1]) == .beforeStart)

    bare.deliver()
    #expect(items[1].outcome == .cancelled)
    #expect(core.accounts.ledger.accepted == 3)
    #expect(core.accounts.ledger.waiting == 2)
    #expect(core.cancel(items[1]) == .tooLate)
    for item in [items[0], items[2]] {
      let context = start(stand)
      #expect(context?.item === item)
      context.map { core.finish($0, .completed) }
    }
    #expect(start(stand) == nil)
    #expect(core.releaseEverything().isEmpty)
    bare.deliver()
  }

  @Test("of a full queue, whose inbox is drained on completion, is cancelled as well")
  func cancelledWhileFull() {
    let bare = BareCore(width: 2, viewWidth: 1)
    let items = (0..<3).map { _ in bare.posted(on: .background, bare.view) }
    let context = bare.core.makeContext(on: .background)
    #expect(bare.core.beginOnWorker(in: context) === context)
    #expect(context.item === items[0])
    _ = bare.posted(on: .background, bare.view)
    bare.core.drainAll()
    #expect(bare.view.isDrainedOnCompletion)
    let hidden = bare.posted(on: .background, bare.view)

    #expect(bare.core.cancel(hidden) == .beforeStart)

    #expect(bare.core.accounts.ledger.waiting == 3)
    bare.core.finish(context, .completed)
    #expect(bare.core.releaseEverything().count == 3)
    bare.deliver()
  }

  @Test("is found where it stands, also after others before it have gone", arguments: 1...6)
  func moved(seed: Int) {
    var dice = Dice(seed: seed)
    for stand in Stand.allCases {
      var items: [WorkItem] = []
      func add() {
        switch dice.roll(4) {
        case 0:
          let item = bare.item(.task, on: stand.lane, view(of: stand))
          core.put(item)
          items.append(item)
        case 1: view(of: stand).map { _ = bare.post(to: $0) } ?? bare.post(on: stand.lane)
        default: items.append(post(stand))
        }
      }
      for _ in 0..<300 { add() }
      while !items.isEmpty {
        if dice.roll(3) == 0 { add() }
        if dice.roll(5) == 0 { core.drainAll() }
        if dice.roll(6) == 0, let ran = start(stand) {
          if let item = ran.item { items.removeAll { $0 === item } }
          core.finish(ran, .completed)
          continue
        }
        let item = items.remove(at: dice.roll(items.count))
        #expect(core.cancel(item) == .beforeStart)
        bare.deliver()
        #expect(item.outcome == .cancelled)
      }
      #expect(core.releaseEverything().allSatisfy { if case .plain = $0 { true } else { false } })
    }
  }

  @Test(
    "has a task once the core is asked for it, and the same when it starts",
    arguments: Stand.allCases)
  func asked(stand: Stand) {
    let item = post(stand)
    let task = core.task(for: item)

    #expect(task.id == item.place.id.number)
    #expect(task.id > 0)
    #expect(start(stand) === task)
    core.finish(task, .completed)
    #expect(core.runningTask(of: item) == nil)
  }

  @Test("gets a lower number than what comes in behind it by hand", arguments: Stand.allCases)
  func numbers(stand: Stand) {
    let first = post(stand)
    let second = bare.item(.task, on: stand.lane, view(of: stand))
    core.put(second)
    let third = post(stand)
    let fourth = bare.queued(on: stand.lane, view(of: stand))
    core.materialisePlainTasks()

    let numbers = [first, second, third].map(\.place.id.number) + [fourth.id]
    #expect(numbers == numbers.sorted())
    #expect(Set(numbers).count == 4)
    #expect(core.releaseEverything().count == 4)
  }

  @Test("is not taken out of a dispatcher that it was not posted to")
  func strayed() async {
    await #expect(processExitsWith: .failure) {
      let (mine, other) = (BareCore(), BareCore())
      let item = mine.posted()
      _ = other.posted()
      _ = other.core.cancel(item)
    }
  }

  // MARK: Running

  @Test("runs in the running-task context of its thread", arguments: Stand.allCases)
  func framed(stand: Stand) {
    let item = post(stand)
    let context = core.makeContext(on: stand.lane)

    #expect(start(stand, in: context) === context)

    #expect(context.item === item)
    #expect(context.takePlain() == nil)
    #expect(item.isRunning)
    #expect(context.id == item.place.id.number)
    #expect(context.view === view(of: stand))
    #expect(core.accounts.ledger.running == 1)
    core.finish(context, .failed(Broken()))
    #expect(context.item == nil)
    #expect(item.queued == nil)
    #expect(context.view == nil)
    #expect(item.outcome == .failed(Broken()))
    #expect(core.accounts.ledger.failed == 1)
    bare.deliver()
  }

  @Test("is asked to stop by a cancellation while it runs, and is known then")
  func requested() {
    let item = post(.background)
    let context = core.makeContext(on: .background)
    _ = start(.background, in: context)
    #expect(context.mayGoOn)

    #expect(core.cancel(item) == .requested)

    #expect(item.isCancellationRequested)
    #expect(context.isKnown)
    // A thread that waits for the item may still look at its task object when the task has ended.
    _ = post(.background)
    #expect(!core.beginNextItem(in: context, ending: .completed))
    bare.post()
    #expect(core.takeNextOfBatch(ofItemIn: context, at: 0, ending: .completed) == nil)
    core.finish(context, .completed)
    var next = context
    core.renewIfKnown(&next)
    #expect(next !== context)
    #expect(core.releaseEverything().count == 2)
  }

  @Test("is followed by others of its kind and by plain bodies, each with a place of its own")
  func followed() {
    for stand in Stand.allCases {
      let before = core.accounts.ledger
      let context = core.makeContext(on: stand.lane)
      let first = post(stand)
      let second = post(stand)
      bare.post(stand.lane, view(of: stand))
      let last = post(stand)
      #expect(start(stand, in: context) === context)

      #expect(core.takeNextOfBatch(ofItemIn: context, at: 1, ending: .completed) == nil)
      #expect(core.beginNextItem(in: context, ending: .failed(Broken())))
      #expect(first.queued == nil)
      #expect(second.queued === context)
      #expect(second.isRunning)
      #expect(context.item === second)
      #expect(core.accounts.ledger.failed == before.failed + 1)

      #expect(!core.beginNextItem(in: context, ending: .completed))
      #expect(core.takeNextOfBatch(ofItemIn: context, at: 2, ending: .failed(Broken())) != nil)
      #expect(context.item == nil)
      #expect(context.record.parent == nil)
      #expect(core.accounts.ledger.failed == before.failed + 2)
      #expect(core.accounts.ledger.completed == before.completed)

      #expect(core.takeNextOfBatch(in: context, at: 3) == nil)
      #expect(core.beginNextItem(in: context, ending: .completed))
      #expect(context.item === last)
      #expect(core.accounts.ledger.completed == before.completed + 1)
      #expect(!core.beginNextItem(in: context, ending: .completed))
      core.finish(context, .completed)
      #expect(core.accounts.ledger.completed == before.completed + 2)
      #expect(core.accounts.ledger.running == 0)
      #expect(core.accounts.ledger.waiting == 0)
      #expect(core.accounts.ledger.balances)
      bare.deliver()
    }
  }

  @Test("is followed by nothing where its task was given up")
  func abandoned() {
    let item = post(.background)
    let context = core.makeContext(on: .background)
    _ = start(.background, in: context)
    let next = post(.background)
    context.isAbandoned = true
    core.forget(item)

    #expect(!core.beginNextItem(in: context, ending: .completed))

    core.finish(context, .completed)
    bare.deliver()
    #expect(item.outcome == nil)
    #expect(core.cancel(next) == .beforeStart)
    bare.deliver()
  }

  @Test("of a low priority is not followed by another where a medium one was posted as it ran")
  func low() {
    for stand in [Stand.background, .view] {
      let low = (0..<5).map { _ in bare.item(.task, on: .background, view(of: stand), band: .low) }
      for item in low { core.put(item) }
      let context = core.makeContext(on: .background)
      #expect(start(stand, in: context) === context)
      let medium = post(stand)

      #expect(!core.beginNextItem(in: context, ending: .completed))
      core.finish(context, .completed)
      #expect(start(stand, in: context)?.item === medium)

      core.finish(context, .completed)
      _ = core.releaseEverything()
      bare.deliver()
    }
  }

  @Test("leaves what is more than that to others")
  func left() {
    _ = post(.background)
    let context = core.makeContext(on: .background)
    _ = start(.background, in: context)
    let timed = bare.item(timeToLive: .seconds(1))
    core.put(timed)
    #expect(!core.beginNextItem(in: context, ending: .completed))
    #expect(core.cancel(timed) == .beforeStart)

    let asked = post(.background)
    let task = core.task(for: asked)
    #expect(!core.beginNextItem(in: context, ending: .completed))
    core.finish(context, .completed)
    #expect(start(.background, in: context) === task)
    core.finish(task, .completed)
  }
}

private struct Broken: Error, Equatable {}

extension BareCore {
  fileprivate func post(_ lane: Lane, _ view: UVView?) {
    if let view { _ = post(to: view) } else { post(on: lane) }
  }
}

extension OnePool {
  @Suite("Items that follow each other on a thread")
  struct FollowingItemsTests {
    private let dispatcher: UVDispatcher

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    private var queues: [TaskQueue] {
      [dispatcher.foreground, dispatcher.background, dispatcher.makeQueue(label: "made", width: 1)]
    }

    @Test("have each its label, its number and its flag")
    func own() throws {
      for queue in queues {
        let gate = Latch()
        queue { gate.hold(patience) }
        let (labels, ids) = (Box<[String?]>([]), Box(Set<UInt64>()))
        @Sendable func note() {
          labels.change { $0.append(CurrentTask.label) }
          ids.change { _ = $0.insert(dispatcher.engine.currentTask?.id ?? 0) }
        }
        let stopped = Box<[Bool]>([])
        queue(label: "first") { note() }
        let second = queue.submit(label: "second") {
          note()
          stopped.change { $0.append(CurrentTask.isCancelled) }
        }
        queue { note() }
        let last = queue.submit(label: "last") {
          note()
          stopped.change { $0.append(CurrentTask.isCancelled) }
        }
        gate.open()
        dispatcher.runUntilIdle()

        #expect(labels.value == ["first", "second", nil, "last"])
        #expect(ids.value.count == 4)
        #expect(stopped.value == [false, false])
        #expect(second.outcomeIfFinished == .completed)
        #expect(last.outcomeIfFinished == .completed)
      }
    }

    @Test("tell of their ends in no task, and have them counted by then")
    func told() throws {
      for queue in queues {
        let before = dispatcher.ledger.ended
        let gate = Latch()
        queue { gate.hold(patience) }
        let seen = Box<[(isInTask: Bool, ended: Int)]>([])
        let items = (0..<3).map { _ in
          WorkItem.make(kind: .task, queue: queue, label: nil, site: .here()) {}
        }
        for item in items {
          item.whenFinished { [dispatcher] _ in
            let ended = dispatcher.ledger.ended
            seen.change { $0.append((dispatcher.engine.currentTask != nil, ended)) }
          }
          dispatcher.submit(item)
        }
        gate.open()
        dispatcher.runUntilIdle()

        #expect(seen.value.count == 3)
        #expect(seen.value.allSatisfy { !$0.isInTask })
        // Another worker may run the next task before the callback of the one before has noted what it saw.
        for (index, ended) in seen.value.map(\.ended).sorted().enumerated() {
          #expect(ended >= before + 2 + index)
        }
      }
    }

    @Test("let go of what they made without the lock, the last one too")
    func released() throws {
      final class Made: Sendable {
        let dispatcher: UVDispatcher
        let released: Box<Int>

        init(_ dispatcher: UVDispatcher, _ released: Box<Int>) {
          self.dispatcher = dispatcher
          self.released = released
        }

        // Takes the lock of the dispatcher.
        deinit { if dispatcher.ledger.running >= 0 { released.change { $0 += 1 } } }
      }
      let released = Box(0)
      for queue in queues {
        let gate = Latch()
        queue { gate.hold(patience) }
        for _ in 0..<3 { queue.submit { [dispatcher] in Made(dispatcher, released) } }
        gate.open()
        dispatcher.runUntilIdle()
      }
      #expect(released.value == 9)
    }

    @Test("are reported by a shutdown in the order in which their queue got them")
    func reported() async throws {
      let queue = dispatcher.makeQueue(label: "held", width: 1)
      queue.suspend()
      queue(label: "1") {}
      queue(priority: .high, label: "2") {}
      queue(label: "3") {}
      queue.barrier(label: "4") {}
      queue(label: "5") {}
      queue(label: "6") {}
      try dispatcher.start()

      let report = await dispatcher.shutdown(ShutdownPolicy(drain: .zero, cancel: .seconds(3600)))

      #expect(report.unfinished.map(\.label) == ["1", "2", "3", "4", "5", "6"])
    }

    /// The running-task context of the first task goes on with the next task of the batch. A thread that waits
    /// for the first must not be taken for one that waits for the next.
    @Test("are not taken for each other by the threads that wait for one of them")
    func awaited() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      for _ in 0..<200 {
        let first = dispatcher.background.submit {}
        let waiter = dispatcher.background.submit { try first.wait() }
        let second = dispatcher.background.submit { try waiter.wait() }
        try second.wait()
      }
    }
  }
}
