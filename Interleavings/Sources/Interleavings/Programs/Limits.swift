import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Queues with a limit: posts against starts, and submissions that wait for room.
  static let limits: [Program] = [
    Program("limit of the loop", "posts from two threads, and a start", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher(starts: true, overflow: .reject(limit: 1))
      let limited = Limited(scene, dispatcher.foreground, limit: 1, width: 1)
      for name in ["left", "right"] {
        scene.thread(name) { for number in 1...2 { limited.post("\(name) \(number)") } }
      }
      limited.post("own")
    },
    Program("limit of the workers", "a body that posts, and posts", threads: 3, calls: 5) { scene in
      let dispatcher = scene.dispatcher(width: 2, overflow: .reject(limit: 2))
      let limited = Limited(scene, dispatcher.background, limit: 2, width: 2)
      scene.thread("left") { limited.post("left") { limited.post("inner") } }
      for number in 1...3 { limited.post("own \(number)") }
    },
    Program("limit of a queue", "posts to a serial queue, and its drain", threads: 3, calls: 6) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "serial", width: 1, overflow: .reject(limit: 1)))
      let limited = Limited(scene, queue, limit: 1, width: 1)
      for name in ["left", "right"] {
        scene.thread(name) { for number in 1...2 { limited.post("\(name) \(number)") } }
      }
      limited.post("own") { limited.post("inner") }
    },
    Program("limit by hand", "a post, a barrier and an urgent item", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "serial", width: 1, overflow: .reject(limit: 1)))
      let limited = Limited(scene, queue, limit: 1, width: 1)
      scene.thread("barrier") {
        limited.submit("barrier") { queue.barrier($0) }
      }
      scene.thread("urgent") {
        limited.submit("urgent") { queue.async(priority: .high, $0) }
      }
      for number in 1...2 { limited.post("own \(number)") }
    },
    Program("reply under a limit", "a reply, and posts to a full loop", threads: 2, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher(starts: true, overflow: .reject(limit: 1))
      let limited = Limited(scene, dispatcher.foreground, limit: 1, width: 1)
      let reply = scene.body("reply")
      dispatcher.background.async {
      } then: { _ in
        reply()
      }
      for number in 1...3 { limited.post("own \(number)") }
    },
    Program("room for a Task", "a Task that awaits room, and posts", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "serial", width: 1, overflow: .reject(limit: 1)))
      let limited = Limited(scene, queue, limit: 1, width: 1)
      let awaited = scene.body("awaited")
      limited.post("first")
      Task(executorPreference: dispatcher.foreground.executor) {
        limited.noteOther()
        do { try await queue.run { awaited() } } catch {
          scene.check(false, "run has thrown \(error)")
        }
      }
      scene.thread("poster") { for number in 1...2 { limited.post("posted \(number)") } }
    },
    Program("cancel under a limit", "a cancellation, a start and posts", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher(width: 1, overflow: .reject(limit: 1))
      let queue = dispatcher.background
      let limited = Limited(scene, queue, limit: 1, width: 1)
      let body = scene.body("cancelled")
      scene.leaveOpen("cancelled")
      scene.thread("canceller") {
        limited.noteOther()
        let handle = queue.submit { body() }
        if handle.cancel() == .beforeStart { scene.expect("cancelled", .beforeStart) }
      }
      for number in 1...2 { limited.post("own \(number)") }
    },
    Program("limit and shutdown", "posts to a full queue, and a shutdown", threads: 2, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(
        QueueOptions(label: "serial", width: 1, overflow: .reject(limit: 1)))
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, queue(body)) }
      }
      let (inner, outer) = (scene.body("inner"), scene.body("outer") {})
      scene.leaveOpen("inner")
      scene.leaveOpen("outer")
      let admission = queue {
        outer()
        scene.expect("inner", queue(inner))
      }
      if admission != .accepted { scene.check(scene.ran("outer") == 0, "outer was refused") }
      dispatcher.beginShutdown(ShutdownPolicy())
      scene.check(queue {} == .refused(.shutDown), "after a shutdown that is what is said")
    },
    Program("two wait for room", "blocked callers, and posts", threads: 4, calls: 5) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(
        QueueOptions(
          label: "serial", width: 1, overflow: .blockCaller(limit: 1, timeout: nil)))
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) {
          scene.check(queue(body) == .accepted, "\(name) was refused")
        }
      }
      for number in 1...2 { queue(scene.body("own \(number)")) }
    },
    Program("room in time", "a caller that waits for a time, and a start", threads: 2, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(
        QueueOptions(
          label: "serial", width: 1, overflow: .blockCaller(limit: 1, timeout: .milliseconds(1))))
      let gate = scene.occupy(queue)
      queue(scene.body("second"))
      let third = scene.body("third")
      scene.leaveOpen("third")
      scene.thread("submitter") {
        let admission = queue(third)
        scene.expect("third", admission)
        // The place that it has not taken, or has left, is free.
        if admission != .accepted {
          scene.check(admission == .refused(.noRoomInTime), "it says \(admission)")
        }
      }
      scene.sleep(.milliseconds(1))
      gate.open()
      scene.simulation.quiesce()
      scene.check(queue(scene.body("last")) == .accepted, "the queue is empty, and says it is full")
    },
    barrier(
      "room behind a barrier", "a body that waits for room behind a barrier that gets room",
      comesFirst: true),
    barrier(
      "room before a barrier", "a body that waits for room before a barrier does",
      comesFirst: false),
  ]

  /// A body waits for room in its own queue, and so does a barrier. If the barrier gets the room first, the body waits
  /// for itself, and must be refused at once. The body on the loop waits for neither, and must not be refused.
  private static func barrier(_ name: String, _ about: String, comesFirst: Bool) -> Program {
    Program(name, about, threads: 3, calls: 7) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(
        QueueOptions(
          label: "wide", width: 2, overflow: .blockCaller(limit: 1, timeout: nil)))
      let (isIn, goes, held) = (Gate(), Gate(), Gate())
      let answer = Box<Admission?>(nil)
      queue(
        scene.body("first") {
          isIn.open()
          goes.wait()
          answer.value = queue {}
        })
      isIn.wait()
      let gate = scene.occupy(queue, "second")
      queue(scene.body("third"))
      if !comesFirst { goes.open() }
      scene.simulation.quiesce()
      let barrier = scene.body("barrier")
      scene.thread("barrier") { queue.barrier(barrier) }
      scene.simulation.quiesce()
      if comesFirst { goes.open() }
      let last = Box<Admission?>(nil)
      dispatcher.foreground(
        scene.body("loop") {
          held.wait()
          last.value = queue {}
        })
      scene.simulation.quiesce()
      gate.open()
      scene.simulation.quiesce()
      scene.check(
        answer.value == (comesFirst ? .refused(.wouldDeadlock) : .accepted),
        "the answer to the first: \(String(describing: answer.value))")
      held.open()
      scene.simulation.quiesce()
      scene.check(last.value == .accepted, "to the loop: \(String(describing: last.value))")
    }
  }
}

/// Submissions to a queue with a limit that refuses. It judges the answers, and knows only the rule.
private final class Limited: @unchecked Sendable {
  private let scene: Scene
  private let queue: TaskQueue
  private let limit: Int
  private let width: Int
  /// Submissions that were not refused, with those that are being made.
  private var asked = 0
  private var accepted = 0
  /// Tasks that have begun. So they have left the queue.
  private var begun = 0

  init(_ scene: Scene, _ queue: TaskQueue, limit: Int, width: Int) {
    self.scene = scene
    self.queue = queue
    self.limit = limit
    self.width = width
  }

  func post(_ name: String, _ inner: @escaping @Sendable () -> Void = {}) {
    submit(name, inner) { [queue] in queue($0) }
  }

  func submit(
    _ name: String, _ inner: @escaping @Sendable () -> Void = {},
    by call: (@escaping @Sendable () -> Void) -> Admission
  ) {
    let body = scene.body(name, inner)
    scene.leaveOpen(name)
    let before = begun
    asked += 1
    let admission = call { [self] in
      begun += 1
      body()
    }
    scene.expect(name, admission)
    if admission == .accepted {
      accepted += 1
      // A task has left its queue a moment before it begins.
      scene.check(
        accepted - begun <= limit + width,
        "\(accepted) were accepted and \(begun) have begun: more wait than \(limit)")
    } else {
      asked -= 1
      scene.check(
        asked - before >= limit,
        "\(name) was refused, and at most \(asked - before) have waited at a time")
    }
  }

  /// The program makes a submission by itself.
  func noteOther() { asked += 1 }
}
