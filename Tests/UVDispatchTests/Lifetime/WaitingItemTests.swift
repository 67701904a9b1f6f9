import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

/// The places where an item waits as itself. It has no task object before some code asks for one.
@Suite("An item that waits")
struct WaitingItemTests {
  private let bare = BareCore()
  private var core: Core { bare.core }

  enum Place: CaseIterable, CustomTestStringConvertible {
    case lane, view, foreground, timer, repeating, notification, due

    var testDescription: String { "\(self)" }
  }

  private func put(_ place: Place) -> WorkItem {
    let item =
      switch place {
      case .lane: bare.item()
      case .view: bare.item(.task, on: .background, bare.view)
      case .foreground: bare.item(.task, on: .foreground)
      case .timer: bare.item(.timer, due: .distantFuture)
      case .repeating: bare.item(.repeating, due: .distantFuture)
      case .notification: bare.item(.notification)
      case .due: bare.item(.event, on: .foreground)
      }
    core.put(item)
    return item
  }

  @Test("needs no task to be cancelled", arguments: Place.allCases)
  func cancelled(place: Place) {
    let item = put(place)
    #expect(core.accounts.ledger.waiting == 1)

    #expect(core.cancel(item) == .beforeStart)

    #expect(item.queued == nil)
    #expect(core.running.freeTasks.count == 0)
    #expect(core.accounts.ledger.waiting == 0)
    #expect(core.accounts.ledger.cancelled == 1)
    #expect(core.releaseEverything().isEmpty)
    bare.deliver()
    #expect(item.outcome == .cancelled)
    #expect(core.cancel(item) == .tooLate)
  }

  @Test("has a task once the core is asked for it, and the same when it starts")
  func asked() throws {
    let item = put(.lane)
    let task = core.task(for: item)
    #expect(task.id == item.place.id.number)
    #expect(task.order == task.id)

    let started = core.beginOnWorker()

    #expect(started === task)
    #expect(core.runningTask(of: item) === task)
    let dispatcher = try UVDispatcher()
    task.enter(by: dispatcher)
    _ = task.perform()
    task.leave()
    core.finish(task, .completed)
    #expect(core.runningTask(of: item) == nil)
  }

  @Test("is cancelled with the task that the core was asked for", arguments: Place.allCases)
  func askedAndCancelled(place: Place) {
    let item = put(place)
    _ = core.task(for: item)

    #expect(core.cancel(item) == .beforeStart)

    #expect(core.runningTask(of: item) == nil)
    #expect(core.accounts.ledger.waiting == 0)
    #expect(core.releaseEverything().isEmpty)
  }

  @Test("has none before it was submitted, and none after its end")
  func nowhere() {
    let item = bare.item()
    #expect(core.runningTask(of: item) == nil)
    #expect(core.cancel(item) == .tooLate)
    #expect(!core.takeBack(item))
  }

  @Test(
    "is found where it stands, also after others before it have gone, in a dispatcher with a name or without",
    arguments: [1, 2, 3], [true, false])
  func moved(seed: Int, isNamed: Bool) {
    core.doors.name = isNamed ? WorkItem.DispatcherName(ofDispatcher: 7) : .none
    var dice = Dice(seed: seed)
    for place in [Place.lane, .view, .foreground, .due] {
      var items = (0..<500).map { _ in put(place) }
      while !items.isEmpty {
        if dice.roll(3) == 0 { items.append(put(place)) }
        let item = items.remove(at: dice.roll(items.count))
        #expect(core.cancel(item) == .beforeStart)
        bare.deliver()
        #expect(item.outcome == .cancelled)
      }
      #expect(core.accounts.ledger.waiting == 0)
      #expect(core.releaseEverything().isEmpty)
    }
  }

  @Test(
    "is let go of when it is cancelled, and was let go of when it is too late for that",
    arguments: [Place.lane, .view, .foreground, .due], [true, false])
  func letGo(place: Place, isNamed: Bool) {
    core.doors.name = isNamed ? WorkItem.DispatcherName(ofDispatcher: 7) : .none
    weak var cancelled: WorkItem?
    weak var waiting: WorkItem?
    do {
      let items = (0..<3).map { _ in put(place) }
      (cancelled, waiting) = (items[1], items[2])
      #expect(core.cancel(items[1]) == .beforeStart)
      #expect(core.cancel(items[1]) == .tooLate)
      bare.deliver()
    }
    #expect(cancelled == nil)
    #expect(waiting != nil && waiting?.outcome == nil)
    #expect(core.accounts.ledger.waiting == 2)

    #expect(core.releaseEverything().count == 2)
  }

  @Test("is in a dispatcher that no other is named as")
  func named() {
    typealias Name = WorkItem.DispatcherName
    #expect(
      BareCore().core.doors.name != BareCore().core.doors.name
        || BareCore().core.doors.name == .none)
    for count in [1, 255, 256, 32_767] {
      #expect(Name(ofDispatcher: count) != .none)
      #expect(Name(ofDispatcher: count) == Name(ofDispatcher: count))
      #expect(Name(ofDispatcher: count) != Name(ofDispatcher: count - 1))
      #expect(Name(ofDispatcher: count) != Name(ofDispatcher: (count + 256) % 32_768))
    }
    for count in [32_768, 65_537, 1_000_000] { #expect(Name(ofDispatcher: count) == .none) }
  }

  @Test("is in a fake that is named as no real one, however many fakes there were")
  func namedInFakes() {
    typealias Name = WorkItem.DispatcherName
    for _ in 0..<70_000 {
      let name = Name.makeRecurring()
      #expect(name != .none && name != Name.makeRecurring())
    }
    let name = Name.makeRecurring()
    for count in 1...32_767 { #expect(Name(ofDispatcher: count) != name) }
  }

  @Test(
    "is not taken out of a dispatcher that it does not stand in", arguments: [Place.lane, .timer],
    [false, true])
  func strayed(place: Place, isNameless: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [place = "\(place)" as String, isNameless] in
      let (mine, other) = (BareCore(), BareCore())
      if isNameless { (mine.core.doors.name, other.core.doors.name) = (.none, .none) }
      let place = Place.allCases.first { "\($0)" == place }!
      let item = place == .lane ? mine.item() : mine.item(.timer, due: .distantFuture)
      mine.core.put(item)
      other.core.put(place == .lane ? other.item() : other.item(.timer, due: .distantFuture))
      _ = other.core.cancel(item)
    }
    #expect(result?.said("was submitted to another") == true)
  }

  @Test("lets a shutdown look again when it is cancelled")
  func inShutdown() {
    core.loopThread.claim()
    bare.running()
    core.beginShutdown(ShutdownPolicy())
    let item = put(.lane)
    core.loop.forgetWish()

    #expect(core.cancel(item) == .beforeStart)

    #expect(item.queued == nil)
    #expect(core.loop.isWanted)
  }

  @Test("comes due with the moment from which its time to live counts")
  func timeToLive() {
    let item = bare.item(.timer, due: .start, timeToLive: .seconds(1))
    core.put(item)

    core.moveDueTimers()

    #expect(core.task(for: item).cameDueAt == 0)
    #expect(item.stage == .queue)
    _ = core.releaseEverything()
  }
}
