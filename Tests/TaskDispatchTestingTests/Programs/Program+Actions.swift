import RandomTesting
import TaskDispatch
import TaskDispatchTesting

extension Program {
  private struct Torn: Error {}

  var tasks: Int { draft.withLock { $0.labelled } }

  /// The number of a new submission with a label. Nil after 60: enough for every kind to meet every other, and
  /// few enough to end.
  private func newNumber() -> Int? {
    draft.withLock {
      guard $0.labelled < 60 else { return nil }
      $0.labelled += 1
      return $0.labelled
    }
  }

  private func declare(_ submission: Submission) {
    draft.withLock { $0.declared[submission.called] = submission }
  }

  func submit(from parent: Int?) {
    guard let number = newNumber() else { return }
    let (label, line) = ("\(number)", UInt(number))
    let queue = anyQueue()
    let isBarrier = queue != 0 && once(in: 5)
    let target = target(queue, isBarrier)
    let priority: PriorityBand = [.high, .medium, .low, .lowest][roll(4)]
    let milliseconds = 1 + roll(5)
    let timeToLive = once(in: 4) ? Duration.milliseconds(roll(3)) : nil
    let catchUp = CatchUp.allCases[roll(4)]
    let kind = roll(8)
    let form: Submission.Form =
      switch kind {
      case 0: .posted
      case 6: .timer
      case 7: .repeating
      default: .handled
      }
    var submission = Submission(
      called: number, form: form, queue: queue, band: queue == 0 ? .medium : priority,
      isBarrier: isBarrier, parent: parent, thread: 0)
    if kind > 5 {
      submission.due = dispatcher.now.advanced(by: .milliseconds(milliseconds)).nanoseconds
    }
    if kind == 7 { submission.catchUp = catchUp }
    if kind > 0, kind < 7 { submission.timeToLive = timeToLive?.clampedNanoseconds }
    let skips = (1...2).contains(kind) && once(in: 4)
    submission.isSkippedAtShutdown = skips
    submission.label = label
    declare(submission)

    switch kind {
    case 0:
      target.async(priority: priority, label: label, line: line) { [self] in actInBody(number) }
    case 1, 2:
      target.async(
        priority: priority, label: label, group: once(in: 2) ? group : nil, timeToLive: timeToLive,
        atShutdown: skips ? .skip : .drain, line: line
      ) { [self] in actInBody(number) }
    case 3..<6:
      let fails = once(in: 5)
      let handle = target.submit(
        priority: priority, label: label, group: once(in: 3) ? group : nil,
        timeToLive: timeToLive, line: line
      ) { [self] in
        actInBody(number)
        if fails { throw Torn() }
      }
      draft.withLock { $0.handles.append(handle) }
    case 6:
      let timer = target.after(
        .milliseconds(milliseconds), priority: priority, label: label, timeToLive: timeToLive,
        line: line
      ) { [self] in actInBody(number) }
      draft.withLock { $0.timers.append(timer) }
    default:
      let timer = target.every(
        .milliseconds(milliseconds), catchUp: catchUp, priority: priority, label: label, line: line
      ) { [self] in actInBody(number) }
      draft.withLock { $0.timers.append(timer) }
    }
  }

  func notifyOnGroup(from parent: Int?) {
    guard let number = newNumber() else { return }
    let queue = anyQueue()
    var submission = Submission(
      called: number, form: .notification, queue: queue, band: .medium, isBarrier: false,
      parent: parent, thread: 0)
    submission.label = "\(number)"
    declare(submission)
    group.notify(on: target(queue, false), label: submission.label, line: UInt(number)) { [self] in
      actInBody(number)
    }
  }

  func cancel() {
    let (handles, timers) = draft.withLock { ($0.handles, $0.timers) }
    let index = roll(handles.count + timers.count + 1)
    if index < handles.count {
      cancel(handles[index].label) { handles[index].cancel() }
    } else if index < handles.count + timers.count {
      let timer = timers[index - handles.count]
      cancel(timer.label) { timer.cancel() }
    }
  }

  private func cancel(_ label: String?, _ call: () -> Cancellation) {
    let number = Int(label!)!
    mark(.cancelling(number))
    let answer = call()
    mark(.cancelled(number, answer))
  }

  func suspendOrResume() {
    guard !views.isEmpty else { return }
    let view = roll(views.count)
    if draft.withLock({ $0.held.contains(view) }) {
      resume(view)
    } else {
      mark(.suspending(views[view].label))
      views[view].suspend()
      draft.withLock { $0.held.append(view) }
      mark(.suspended(views[view].label))
    }
  }

  func resume(_ view: Int) {
    draft.withLock { $0.held.removeAll { $0 == view } }
    mark(.resuming(views[view].label))
    views[view].resume()
    mark(.resumed(views[view].label))
  }

  func sync(from parent: Int?) {
    let queue = anyQueue()
    let isBarrier = queue != 0 && once(in: 4)
    let number = draft.withLock {
      $0.syncs += 1
      return 1000 + $0.syncs
    }
    declare(
      Submission(
        called: number, form: .sync, queue: queue, band: .medium, isBarrier: isBarrier,
        parent: parent, thread: 0))
    // A test that waits holds no worker.
    if parent != nil { mark(.syncBegan) }
    try? target(queue, isBarrier).sync(line: UInt(number)) { run(number) {} }
    if parent != nil { mark(.syncEnded) }
  }

  func wait() {
    let handles = draft.withLock { $0.handles }
    let timeout: Duration? = once(in: 2) ? .milliseconds(roll(3)) : nil
    if handles.isEmpty || once(in: 3) {
      try? group.wait(timeout: timeout)
    } else {
      _ = try? handles[roll(handles.count)].wait(timeout: timeout)
    }
  }

  func shutDown(drain: Duration, cancel: Duration) {
    mark(.shuttingDown)
    dispatcher.beginShutdown(.init(drain: drain, cancel: cancel))
    mark(.shutDown(drainsNothing: drain == .zero))
  }
}
