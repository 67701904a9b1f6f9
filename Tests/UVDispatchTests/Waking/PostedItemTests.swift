import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// A submission with a handle, a label or a group comes in as plain bodies do. It has neither number nor
/// position before it starts, unless some code asks for it.
@Suite("An item that was posted")
struct PostedItemTests {
  let bare = BareCore(width: 2, viewWidth: 2)
  var core: Core { bare.core }

  enum Place: CaseIterable, CustomTestStringConvertible {
    case foreground, background, view

    var testDescription: String { "\(self)" }
    var lane: Lane { self == .foreground ? .foreground : .background }
  }

  func view(of place: Place) -> UVView? { place == .view ? bare.view : nil }

  func post(_ place: Place) -> WorkItem { bare.posted(on: place.lane, view(of: place)) }

  func start(_ place: Place, in context: BatchContext? = nil) -> RunningTask? {
    let context = context ?? core.makeContext(on: place.lane)
    return place == .foreground ? core.beginOnLoop(in: context) : core.beginOnWorker(in: context)
  }

  // MARK: What is posted

  @Test(
    "has the submitting thread notify a consumer, if none of the inbox is notified",
    arguments: Place.allCases)
  func notifies(place: Place) {
    // On the background and in a view two bodies may run, so two posts notify a consumer.
    let notifying = place == .foreground ? 1 : 2

    for number in 0..<3 {
      let begun = core.doors.post(
        bare.fresh(on: place.lane, view(of: place)), to: view(of: place), parent: nil)
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
    #expect(isPosted(limited.fresh(), in: limited.core))
    #expect(!isPosted(limited.fresh(), in: limited.core))
    #expect(limited.core.releaseEverything().count == 1)
    #expect(core.releaseEverything().count == 2)
  }

  @Test(
    "is not posted once the gate is closed, and nothing has changed then", arguments: Place.allCases
  )
  func closed(place: Place) {
    core.closeInboxes()
    let item = bare.fresh(on: place.lane, view(of: place))

    #expect(core.doors.post(item, to: view(of: place), parent: nil) == .isRefused)

    #expect(item.stage == .nowhere)
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

  @Test("is cancelled wherever it is on its way", arguments: Place.allCases, [false, true])
  func cancelled(place: Place, isCollected: Bool) {
    let items = (0..<3).map { _ in post(place) }
    if isCollected { core.drainAll() }

    #expect(core.cancel(items[1]) == .beforeStart)

    bare.deliver()
    #expect(items[1].outcome == .cancelled)
    #expect(core.accounts.ledger.accepted == 3)
    #expect(core.accounts.ledger.waiting == 2)
    #expect(core.cancel(items[1]) == .tooLate)
    for item in [items[0], items[2]] {
      let context = start(place)
      #expect(context?.item === item)
      context.map { core.finish($0, .completed) }
    }
    #expect(start(place) == nil)
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
    for place in Place.allCases {
      var items: [WorkItem] = []
      func add() {
        switch dice.roll(4) {
        case 0:
          let item = bare.item(.task, on: place.lane, view(of: place))
          core.put(item)
          items.append(item)
        case 1: view(of: place).map { _ = bare.post(to: $0) } ?? bare.post(on: place.lane)
        default: items.append(post(place))
        }
      }
      for _ in 0..<300 { add() }
      while !items.isEmpty {
        if dice.roll(3) == 0 { add() }
        if dice.roll(5) == 0 { core.drainAll() }
        if dice.roll(6) == 0, let ran = start(place) {
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
    arguments: Place.allCases)
  func asked(place: Place) throws {
    let item = post(place)
    let task = core.task(for: item)

    #expect(task.id == item.place.id.number)
    #expect(task.id > 0)
    #expect(start(place) === task)
    core.finish(task, .completed)
    #expect(core.runningTask(of: item) == nil)
  }

  @Test("gets a lower number than what comes in behind it by hand", arguments: Place.allCases)
  func numbers(place: Place) {
    let first = post(place)
    let second = bare.item(.task, on: place.lane, view(of: place))
    core.put(second)
    let third = post(place)
    let fourth = bare.queued(on: place.lane, view(of: place))
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
}
