import UVDispatch

@testable import TaskDispatch

extension Stage {
  /// Runs `script` in `context`, with a gate before each step and before the end.
  func perform(_ script: [WaitStep], in context: Int) {
    for step in script {
      guard arrive(context, before: step) else { return }
      act(step, in: context)
    }
    _ = arrive(context, before: nil)
  }

  private func act(_ step: WaitStep, in context: Int) {
    switch step {
    case .sync(let queue, let isBarrier, let script): sync(queue, isBarrier, script, context)
    case .waitForTask(let task, let isTimed): wait(for: task, isTimed, context)
    case .waitForGroup(let group, let isTimed): wait(forGroup: group, isTimed, context)
    case .submit(let task): submit(task)
    case .startTimer(let task, let milliseconds): startTimer(task, milliseconds)
    case .suspend(let queue):
      change { $0.state.queues[queue].suspensions += 1 }
      queues[queue].suspend()
    case .resume(let queue): resume(queue)
    case .enter(let group):
      change { $0.state.groups[group].handEntries += 1 }
      groups[group].enter()
    case .leave(let group): leave(group)
    case .whenEmpty(let group, let script): callBack(script, whenEmpty: group)
    case .whenEnded(let task, let script): callBack(script, whenEnded: task)
    }
  }

  // MARK: Waiting

  private func sync(_ queue: Int, _ isBarrier: Bool, _ script: [WaitStep], _ context: Int) {
    let ticket = change { record in
      let ticket = record.number()
      record.state.queues[queue].items.append(
        .init(content: .caller(context: context, ticket: ticket), isBarrier: isBarrier))
      record.setActivity(
        of: context, .waiting(.sync(queue: queue, ticket: ticket), isTimed: false))
      return ticket
    }
    makeWaitingCall(in: context) {
      try (isBarrier ? queues[queue].barrier : queues[queue]).sync {
        let inner = begin(.syncBody(ticket), queue: queue, isBarrier: isBarrier)
        perform(script, in: inner)
        end(inner)
      }
    }
  }

  private func wait(for task: Int, _ isTimed: Bool, _ context: Int) {
    let handle = change { record in
      let handle = record.handles[task]
      if handle != nil { record.setActivity(of: context, .waiting(.task(task), isTimed: isTimed)) }
      return handle
    }
    guard let handle else { return }
    makeWaitingCall(in: context) { try handle.wait(timeout: isTimed ? .milliseconds(2) : nil) }
  }

  private func wait(forGroup group: Int, _ isTimed: Bool, _ context: Int) {
    change { record in
      let round = record.state.groups[group].round
      record.setActivity(of: context, .waiting(.group(group, round: round), isTimed: isTimed))
    }
    makeWaitingCall(in: context) {
      try groups[group].wait(timeout: isTimed ? .milliseconds(2) : nil)
    }
  }

  /// Makes a call that waits, and records how it ends.
  private func makeWaitingCall(in context: Int, _ call: () throws -> Void) {
    do {
      try call()
      change { $0.noteReturn(context) }
    } catch {
      change { $0.note(error, of: context) }
    }
  }

  // MARK: Submitting

  private func run(_ task: Int) {
    let body = program.bodies[task]
    let context = begin(.task(task), queue: body.queue, isBarrier: body.isBarrier)
    perform(body.script, in: context)
    end(context)
  }

  private func submit(_ task: Int) {
    let body = program.bodies[task]
    change { record in
      record.state.queues[body.queue].items.append(
        .init(content: .task(task), isBarrier: body.isBarrier))
      if let group = body.group { record.state.groups[group].members.append(task) }
    }
    let queue = body.isBarrier ? queues[body.queue].barrier : queues[body.queue]
    let group = body.group.map { groups[$0] }
    if body.hasHandle {
      let handle = queue.submit(label: "t\(task)", group: group) { [self] in run(task) }
      change { $0.handles[task] = handle }
    } else if let group {
      queue.async(group: group) { [self] in run(task) }
    } else {
      queue { [self] in run(task) }
    }
  }

  private func startTimer(_ task: Int, _ milliseconds: Int) {
    let body = program.bodies[task]
    change { record in
      record.state.timers.append(
        .init(task: task, queue: body.queue, isBarrier: body.isBarrier))
      if let group = body.group { record.state.groups[group].members.append(task) }
    }
    let queue = body.isBarrier ? queues[body.queue].barrier : queues[body.queue]
    queue.after(
      .milliseconds(milliseconds), label: "t\(task)", group: body.group.map { groups[$0] }
    ) { [self] in run(task) }
  }

  // MARK: Letting go

  /// Undoes one suspension. False if there is none.
  @discardableResult
  func resume(_ queue: Int) -> Bool {
    let isSuspended = change { record in
      guard record.state.queues[queue].suspensions > 0 else { return false }
      record.state.queues[queue].suspensions -= 1
      record.story.append("\(WaitProgram.name(ofQueue: queue)) is resumed")
      return true
    }
    if isSuspended { queues[queue].resume() }
    return isSuspended
  }

  /// Undoes one entry by hand of a group. False if there is none.
  @discardableResult
  func leave(_ group: Int) -> Bool {
    let isEntered = change { record in
      guard record.state.groups[group].handEntries > 0 else { return false }
      record.story.append("g\(group) is left")
      record.change { state in
        state.groups[group].handEntries -= 1
        if state.groups[group].isEmpty { state.groups[group].round += 1 }
      }
      return true
    }
    if isEntered { groups[group].leave() }
    return isEntered
  }

  // MARK: Callbacks

  private func callBack(_ script: [WaitStep], whenEmpty group: Int) {
    let callback = change { record in
      let callback = record.number()
      if record.state.groups[group].isEmpty {
        record.makeDue([callback])
      } else {
        record.whenEmpty[group, default: []].append(callback)
      }
      return callback
    }
    groups[group].whenEmpty { [self] in run(script, asCallback: callback) }
  }

  private func callBack(_ script: [WaitStep], whenEnded task: Int) {
    let attached = change { record -> (handle: TaskHandle<Void>, callback: Int)? in
      guard let handle = record.handles[task] else { return nil }
      let callback = record.number()
      if record.state.endedTasks.contains(task) {
        record.makeDue([callback])
      } else {
        record.whenEnded[task, default: []].append(callback)
      }
      return (handle, callback)
    }
    guard let (handle, callback) = attached else { return }
    handle.item.whenFinished { [self] _ in run(script, asCallback: callback) }
  }

  private func run(_ script: [WaitStep], asCallback callback: Int) {
    let context = begin(.callback(callback))
    perform(script, in: context)
    end(context)
  }
}
