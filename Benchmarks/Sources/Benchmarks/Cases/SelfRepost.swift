import CPeers
import Dispatch
import Measuring
import NIOCore
import UVDispatch

extension Case {
  /// A task of the foreground that posts itself again: each iteration of the loop looks for input and
  /// timers.
  static let selfRepost = Case(
    "fg self re-post",
    rows: [
      Row(
        "fg self re-post", demanded: [.withinLimit(1.5)],
        goal: [.timesFaster(1, than: "NIO"), .timesFaster(1, than: "Dispatch")])
    ]
  ) { effort in
    let ours = try UVForeground()
    let nio = NIOLoop()
    let dispatch = DispatchSubject.serial
    let count = effort.count(200_000)
    return [
      Contestant(Contestant.ours) { again(ours, count) },
      Contestant("NIO") { again(nio, count) },
      Contestant("Dispatch") { again(dispatch, count) },
      Contestant(Contestant.limit) { cpeers_idle_turn(count) },
    ]
  }

  private static func again(_ subject: UVForeground, _ count: Int) -> Double {
    final class Repost: Sendable {
      let queue: TaskQueue
      let end = DispatchSemaphore(value: 0)
      init(_ queue: TaskQueue) { self.queue = queue }
      func step(_ left: Int) {
        if left == 0 { end.signal() } else { queue { self.step(left - 1) } }
      }
    }
    let repost = Repost(subject.dispatcher.foreground)
    return timed {
      repost.queue { repost.step(count) }
      repost.end.wait()
    } / Double(count)
  }

  private static func again(_ subject: NIOLoop, _ count: Int) -> Double {
    final class Repost: Sendable {
      let loop: any EventLoop
      let end = DispatchSemaphore(value: 0)
      init(_ loop: any EventLoop) { self.loop = loop }
      func step(_ left: Int) {
        if left == 0 { end.signal() } else { loop.execute { self.step(left - 1) } }
      }
    }
    let repost = Repost(subject.loop)
    return timed {
      repost.loop.execute { repost.step(count) }
      repost.end.wait()
    } / Double(count)
  }

  private static func again(_ subject: DispatchSubject, _ count: Int) -> Double {
    final class Repost: Sendable {
      let queue: DispatchQueue
      let end = DispatchSemaphore(value: 0)
      init(_ queue: DispatchQueue) { self.queue = queue }
      func step(_ left: Int) {
        if left == 0 { end.signal() } else { queue.async { self.step(left - 1) } }
      }
    }
    let repost = Repost(subject.queue)
    return timed {
      repost.queue.async { repost.step(count) }
      repost.end.wait()
    } / Double(count)
  }
}
