import Dispatch
import Glibc
import Synchronization
import TestSupport
import UVDispatch

/// Ten thousand hops to the main actor and as many blocks of the main queue, beside foreground posts, timers
/// and background work. All of them run, and all are on the foreground.
@MainActor func hops() throws {
  let count = 10_000
  let dispatcher = try UVDispatcher()
  // Traps anywhere but on the foreground.
  let seen = Confined(Seen(), to: dispatcher.foreground)
  let background = Counter()
  let group = WorkGroup()

  group.enter()
  Task.detached {
    for _ in 0..<count { await MainActor.run { seen.withValue { $0.hops += 1 } } }
    group.leave()
  }
  group.enter()
  DispatchQueue.global().async {
    for number in 0..<count {
      DispatchQueue.main.async {
        requireMainThread()
        seen.withValue { $0.blocks.append(number) }
        if number == count - 1 { group.leave() }
      }
    }
  }
  for _ in 0..<count {
    dispatcher.background.async(group: group) {
      background.increment()
      dispatcher.foreground.async(group: group) {
        requireMainThread()
        seen.withValue { $0.posts += 1 }
      }
    }
  }
  let tick = dispatcher.foreground.every(.milliseconds(1)) { seen.withValue { $0.ticks += 1 } }
  // However fast the rest is, a few ticks come.
  dispatcher.foreground.after(.milliseconds(3), group: group) {}
  group.notify(on: dispatcher.foreground) {
    tick.cancel()
    dispatcher.beginShutdown()
  }

  let report = dispatcher.run()

  let all = seen.takeValue()
  expect(all.hops == count, "\(all.hops) hops")
  expect(all.blocks == Array(0..<count), "\(all.blocks.count) blocks, or not in their order")
  expect(all.posts == count, "\(all.posts) posts")
  expect(all.ticks > 0, "no tick")
  expect(background.value == count, "\(background.value) on the background")
  expect(report.ledger.balances && report.unfinished.isEmpty, "\(report)")
}

private struct Seen {
  var hops = 0
  var blocks: [Int] = []
  var posts = 0
  var ticks = 0
}

/// A loop that has served the main queue sleeps when nothing is left. Prints the number of its thread just
/// before, and ends when a line comes in.
@MainActor func idle() throws {
  let dispatcher = try UVDispatcher()
  DispatchQueue.main.async {}
  Task { @MainActor in
    await Task.yield()
    try dispatcher.onReady(0, for: .readable) { _ in dispatcher.beginShutdown() }
    print(thisThread)
    fflush(nil)
  }

  dispatcher.run()
}

/// A block that posts itself for ever and code of the main actor that yields for ever do not keep each other
/// from running, nor the foreground.
@MainActor func endless() throws {
  let dispatcher = try UVDispatcher()
  let isOver = Flag()
  let (blocks, yields, posts) = (Counter(), Counter(), Counter())
  @Sendable func block() {
    DispatchQueue.main.async {
      blocks.increment()
      if !isOver.isRaised { block() }
    }
  }
  @Sendable func post() {
    dispatcher.foreground {
      posts.increment()
      if blocks.value < 100 || yields.value < 100 || posts.value < 10_000 { return post() }
      isOver.raise()
      dispatcher.beginShutdown()
    }
  }
  block()
  Task { @MainActor in
    while !isOver.isRaised {
      await Task.yield()
      yields.increment()
    }
  }
  post()

  dispatcher.run()

  expect(posts.value >= 10_000, "\(posts.value) posts")
}
