import TaskDispatch
import Testing

@testable import UVDispatch

/// A posted item while it runs, and what its thread runs next.
extension PostedItemTests {
  @Test("runs in the running-task context of its thread", arguments: Place.allCases)
  func framed(place: Place) {
    let item = post(place)
    let context = core.makeContext(on: place.lane)

    #expect(start(place, in: context) === context)

    #expect(context.item === item)
    #expect(context.takePlain() == nil)
    #expect(item.isRunning)
    #expect(context.id == item.place.id.number)
    #expect(context.view === view(of: place))
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
    for place in Place.allCases {
      let before = core.accounts.ledger
      let context = core.makeContext(on: place.lane)
      let first = post(place)
      let second = post(place)
      bare.post(place.lane, view(of: place))
      let last = post(place)
      #expect(start(place, in: context) === context)

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
    for place in [Place.background, .view] {
      let low = (0..<5).map { _ in bare.item(.task, on: .background, view(of: place), band: .low) }
      for item in low { core.put(item) }
      let context = core.makeContext(on: .background)
      #expect(start(place, in: context) === context)
      let medium = post(place)

      #expect(!core.beginNextItem(in: context, ending: .completed))
      core.finish(context, .completed)
      #expect(start(place, in: context)?.item === medium)

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
