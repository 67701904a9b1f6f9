import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// The thread that watches for stalls, against bodies that begin, stall and end.
  static let stalls: [Program] = [
    Program(
      "stall of a worker", "a body of 7 ms, and a watchdog that has parked", threads: 2, calls: 3
    ) {
      scene in
      let (dispatcher, reports) = scene.watchedDispatcher()
      dispatcher.background(scene.body("stuck") { scene.sleep(.milliseconds(7)) })
      scene.sleep(.milliseconds(20))
      reports.expectStall(of: dispatcher.background)
    },
    Program(
      "stall in a batch", "short bodies around a body of 7 ms on the loop", threads: 3, calls: 5
    ) {
      scene in
      let (dispatcher, reports) = scene.watchedDispatcher(starts: true)
      scene.thread("poster") {
        for number in 1...2 { dispatcher.foreground(scene.body("\(number)")) }
      }
      dispatcher.foreground(scene.body("stuck") { scene.sleep(.milliseconds(7)) })
      dispatcher.foreground(scene.body("last"))
      scene.sleep(.milliseconds(20))
      reports.expectStall(of: dispatcher.foreground)
    },
    Program("stall of callbacks", "a callback of 7 ms after a body", threads: 2, calls: 4) {
      scene in
      let (dispatcher, reports) = scene.watchedDispatcher()
      let group = WorkGroup()
      let gate = Gate()
      dispatcher.background.async(group: group, scene.body("member") { gate.wait() })
      group.whenEmpty(scene.body("stuck") { scene.sleep(.milliseconds(7)) })
      gate.open()
      scene.sleep(.milliseconds(20))
      reports.expectCallbacks()
    },
    Program("stall of a sync", "a caller's body of 7 ms, and a post", threads: 3, calls: 4) {
      scene in
      let (dispatcher, reports) = scene.watchedDispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let stuck = scene.body("stuck") { scene.sleep(.milliseconds(7)) }
      scene.thread("poster") { queue(scene.body("post")) }
      do { try queue.sync(stuck) } catch { scene.check(false, "sync has thrown \(error)") }
      scene.sleep(.milliseconds(20))
      reports.expectStall(of: queue)
    },
    Program("two stalls", "bodies of 5 and of 7 ms on two workers", threads: 2, calls: 4) { scene in
      let (dispatcher, reports) = scene.watchedDispatcher()
      dispatcher.background(scene.body("short") { scene.sleep(.milliseconds(5)) })
      dispatcher.background(scene.body("long") { scene.sleep(.milliseconds(7)) })
      scene.sleep(.milliseconds(30))
      reports.expectStall(of: dispatcher.background, count: 2)
    },
    Program("stall at the end", "a shutdown with a deadline gives up a body", threads: 2, calls: 4)
    { scene in
      let (dispatcher, reports) = scene.watchedDispatcher(starts: true)
      dispatcher.background(scene.body("stuck") { scene.sleep(.milliseconds(9)) })
      dispatcher.beginShutdown(
        ShutdownPolicy(drain: .milliseconds(3), cancel: .milliseconds(1)))
      scene.sleep(.milliseconds(30))
      reports.expectOrder()
    },
    Program(
      "watch and release", "the last reference goes while the watchdog looks", threads: 2, calls: 3
    ) {
      scene in
      let dispatcher = scene.simulation.quietly {
        do { return try UVDispatcher(.init(stallThresholds: .init(.milliseconds(2)))) } catch {
          fatalError("no dispatcher: \(error)")
        }
      }
      do { try dispatcher.watchStalls { _ in } } catch { fatalError("no watchdog: \(error)") }
      dispatcher.background(scene.body("posted"))
    },
  ]
}

extension Scene {
  /// A dispatcher that tells of stalls after two milliseconds, and what it has told.
  fileprivate func watchedDispatcher(starts: Bool = false) -> (UVDispatcher, Reports) {
    let dispatcher = dispatcher(starts: starts, stallThresholds: .init(.milliseconds(2)))
    let reports = Reports(self, dispatcher)
    do { try dispatcher.watchStalls { reports.note($0) } } catch {
      fatalError("no watchdog: \(error)")
    }
    return (dispatcher, reports)
  }
}

/// The reports of stalls, in the order in which they came.
private final class Reports: @unchecked Sendable {
  // One thread runs at a time.
  private let scene: Scene
  private weak var dispatcher: UVDispatcher?
  private var stalls: [Stall] = []

  init(_ scene: Scene, _ dispatcher: UVDispatcher) {
    self.scene = scene
    self.dispatcher = dispatcher
  }

  /// The end of a stall is told at once: no virtual time passes before that.
  func note(_ stall: Stall) {
    stalls.append(stall)
    guard stall.isOver, let now = dispatcher?.now else { return }
    scene.check(stall.time.duration(to: now) < .microseconds(500), "told late: \(stall), at \(now)")
  }

  /// Bodies of `queue` have stalled, and nothing else: each was told of, and its end once, as the last.
  func expectStall(of queue: TaskQueue, count: Int = 1) {
    scene.check(stalls.allSatisfy { $0.lane == queue.lane && $0.task != nil }, "it says \(stalls)")
    scene.check(Set(stalls.map { $0.task?.id }).count == count, "it says \(stalls)")
    expectOrder()
    let told = stalls.count { !$0.isOver }
    scene.check(told >= count, "no stall was told of, or only its end: \(stalls)")
    scene.check(stalls.count { $0.isOver } == count, "not each end was told of once: \(stalls)")
  }

  func expectCallbacks() {
    scene.check(stalls.allSatisfy { $0.task == nil }, "it says \(stalls)")
    expectOrder()
    scene.check(stalls.count { $0.isOver } == 1 && stalls.count > 1, "it says \(stalls)")
  }

  /// The durations of each stall grow, and what is over is not told of again.
  func expectOrder() {
    for task in Set(stalls.map { $0.task?.id }) {
      let told = stalls.filter { $0.task?.id == task }
      let grows = zip(told, told.dropFirst()).allSatisfy {
        !$0.isOver && $0.duration <= $1.duration && $0.time <= $1.time
      }
      scene.check(grows, "reports of one stall come out of order: \(told)")
    }
  }
}
