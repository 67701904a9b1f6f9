import Dispatch
import Measuring
import NIOCore
import NIOPosix
import UVDispatch

extension Case {
  /// Work on a worker whose result goes to the loop's thread, with 1024 tasks in flight.
  static let replies = Case("offload and reply", rows: [Row("offload and reply, win 1024, a task")])
  {
    effort in
    let subjects: [(String, any Subject)] = [
      (Contestant.ours, try UVReplies()), ("NIO", NIOReplies()), ("Dispatch", DispatchReplies()),
    ]
    return Throughput().contestants(subjects, effort)
  }

  /// Empty tasks on workers that can be cancelled and waited for, with 1024 in flight.
  static let handles = Case("with a handle", rows: [Row("bg W=3 with a handle, win 1024")]) {
    effort in
    let subjects: [(String, any Subject)] = [
      (Contestant.ours, try UVHandles()), ("Dispatch", DispatchHandles()),
      ("Task.detached", DetachedTasks()),
    ]
    return Throughput().contestants(subjects, effort)
  }
}

private final class UVReplies: Subject {
  private let background: TaskQueue

  init() throws { background = try UVBackground(width: 3).dispatcher.background }

  func submit(_ counter: Counter, _ rounds: Int) {
    background.async({ rounds }, then: { _ in counter.advance() })
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    background.async({ 0 }, then: { _ in body() })
  }
}

private final class NIOReplies: Subject {
  private let pool = NIOPool(width: 3)
  private let loop = NIOLoop()

  func submit(_ counter: Counter, _ rounds: Int) {
    pool.pool.runIfActive(eventLoop: loop.loop) { rounds }.whenComplete { _ in counter.advance() }
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    pool.pool.runIfActive(eventLoop: loop.loop) { 0 }.whenComplete { _ in body() }
  }
}

private final class DispatchReplies: Subject {
  private let workers = DispatchSubject.concurrent.queue
  private let loop = DispatchSubject.serial.queue

  func submit(_ counter: Counter, _ rounds: Int) {
    workers.async { [loop] in
      let result = rounds
      loop.async { if result >= 0 { counter.advance() } }
    }
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    workers.async { [loop] in loop.async(execute: body) }
  }
}

private final class UVHandles: Subject {
  private let background: TaskQueue

  init() throws { background = try UVBackground(width: 3).dispatcher.background }

  func submit(_ counter: Counter, _ rounds: Int) {
    background.submit { work(rounds, counter) }
  }
  func run(_ body: @escaping @Sendable () -> Void) { background.submit(body) }
}

private final class DispatchHandles: Subject {
  private let queue = DispatchSubject.concurrent.queue

  func submit(_ counter: Counter, _ rounds: Int) {
    queue.async(execute: DispatchWorkItem { work(rounds, counter) })
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: DispatchWorkItem(block: body))
  }
}
