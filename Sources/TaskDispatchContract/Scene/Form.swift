internal import TaskDispatch
internal import TaskDispatchTesting

/// A way to submit a body. What holds for one form must hold for all.
struct Form: Sendable, CustomStringConvertible {
  /// The name of the form in the names of checks, such as "a plain body".
  let name: String
  /// Whether the body waits for a time first.
  var isTimed = false
  /// Whether it is a job of a Swift Task: such a job cannot be refused, and the Swift runtime releases it.
  var isJob = false
  /// Whether the body runs on the foreground, whatever the queue.
  var repliesToForeground = false
  /// Whether it needs a queue that runs one task at a time.
  var needsNarrowQueue = false
  let submit: @Sendable (Scene, TaskQueue, @escaping @Sendable () -> Void) -> Void

  var description: String { name }

  /// How long a timed form waits.
  static let delay = Duration.milliseconds(2)

  static let plain = Form(name: "a plain body") { _, queue, body in queue(body) }

  static let optioned = Form(name: "a body with options") { _, queue, body in
    queue.async(
      priority: .high, label: "optioned", group: WorkGroup(), timeToLive: .seconds(3600), body)
  }

  static let handled = Form(name: "a body with a handle") { _, queue, body in
    queue.submit(label: "handled") { body() }
  }

  static let barrier = Form(name: "a barrier") { _, queue, body in queue.barrier(body) }

  static let handledBarrier = Form(name: "a barrier with a handle") { _, queue, body in
    queue.barrier.submit(label: "barrier") { body() }
  }

  static let undelayed = Form(name: "a timer without a delay") { _, queue, body in
    queue.after(.zero, body)
  }

  static let timer = Form(name: "a timer", isTimed: true) { _, queue, body in
    queue.after(delay, body)
  }

  static let repeating = Form(name: "a repeating timer", isTimed: true) { _, queue, body in
    let timer = Box<TimerHandle?>(nil)
    let isOver = Box(false)
    timer.value = queue.every(delay) {
      guard isOver.raise() else { return }
      body()
      timer.change { $0.take() }?.cancel()
    }
    // The body may have run before its handle was stored.
    if isOver.value { timer.change { $0.take() }?.cancel() }
  }

  static let reply = Form(name: "a reply", repliesToForeground: true) { _, queue, body in
    queue.async({}, then: { _ in body() })
  }

  static let notification = Form(name: "a notification") { _, queue, body in
    WorkGroup().notify(on: queue, body)
  }

  static let run = Form(name: "run") { scene, queue, body in
    scene.task { try? await queue.run { body() } }
  }

  static let job = Form(name: "a job of a Task", isJob: true) { scene, queue, body in
    scene.task(on: queue) { body() }
  }

  static let actor = Form(name: "a job of an actor", isJob: true, needsNarrowQueue: true) {
    scene, queue, body in
    let actor = QueueActor(queue)
    scene.task { await actor.perform(body) }
  }

  static let all = [
    plain, optioned, handled, barrier, handledBarrier, undelayed, timer, repeating, reply,
    notification, run, job, actor,
  ]

  /// Forms that put one body into the queue at once, so that bodies run in the order of their submissions.
  static let queued = [plain, optioned.inMedium, handled, undelayed, notification]

  /// This form in the default band.
  private var inMedium: Form {
    Form(name: name) { _, queue, body in queue.async(label: "optioned", body) }
  }

  /// The queues among `queues` that this form can be used on.
  func fitting(_ queues: [TaskQueue]) -> [TaskQueue] {
    needsNarrowQueue ? queues.filter { $0.lane == .foreground || $0.view?.width == 1 } : queues
  }
}

/// An actor that lives on a queue.
private actor QueueActor {
  private let queue: TaskQueue

  init(_ queue: TaskQueue) { self.queue = queue }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  func perform(_ body: @Sendable () -> Void) { body() }
}
