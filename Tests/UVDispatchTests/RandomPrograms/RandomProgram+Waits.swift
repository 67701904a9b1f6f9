import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import TestSupport

extension RandomProgram {
  // MARK: Suspending

  /// A thread that keeps a view suspended never waits, since others may wait for that view.
  func suspendOrResume(_ actor: inout Actor) {
    if !actor.held.isEmpty {
      resume(actor.held.removeLast())
      return
    }
    guard actor.parent == nil, !plan.views.isEmpty, !plan.mayBlockForRoom else { return }
    let queue = 2 + actor.dice.roll(plan.views.count)
    mark(.suspending(queues[queue].label))
    queues[queue].suspend()
    mark(.suspended(queues[queue].label))
    let from = ticket()
    let note = notes.withLock {
      $0.suspensions.append(.init(queue: queue, from: from))
      return $0.suspensions.count - 1
    }
    actor.held.append((queue, note))
  }

  func resume(_ held: (queue: Int, note: Int)) {
    let to = ticket()
    notes.withLock { $0.suspensions[held.note].to = to }
    mark(.resuming(queues[held.queue].label))
    queues[held.queue].resume()
    mark(.resumed(queues[held.queue].label))
  }

  // MARK: Waiting

  func sync(_ actor: inout Actor) {
    let isBarrier = actor.dice.once(in: 4)
    let queue = anyQueue(&actor)
    guard actor.mayWait, actor.held.isEmpty, queue != 0 || !plan.loopIsLate else {
      return post(&actor)
    }
    let slip = draft(.sync, &actor, on: queue, isBarrier: isBarrier)
    if actor.parent != nil { mark(.syncBegan) }
    defer { if actor.parent != nil { mark(.syncEnded) } }
    do {
      try target(of: slip, isBarrier).sync(line: UInt(slip.number)) { perform(slip) }
      noteReturn(slip, true)
    } catch WaitRefusal.wouldDeadlock {
      slip.note { $0.wouldDeadlock = true }
      noteReturn(slip, false)
    } catch {
      noteReturn(slip, false)
    }
  }

  /// Waits for the task of a handle.
  func wait(_ actor: inout Actor) {
    let slips = actor.slips.filter { $0.knownHandle?.wait != nil }
    guard actor.parent == nil, actor.mayWait, actor.held.isEmpty, !plan.loopIsLate, !slips.isEmpty
    else { return post(&actor) }
    let slip = slips[actor.dice.roll(slips.count)]
    do {
      try slip.knownHandle?.wait?()
      let waited = ticket()
      slip.note { $0.waited = min($0.waited, waited) }
    } catch {
      slip.note { $0.wouldDeadlock = true }
    }
  }

  // MARK: Swift Tasks

  func `await`(_ actor: inout Actor) {
    let queue = anyQueue(&actor)
    tasks.enter()
    if actor.dice.once(in: 3) {
      Task {
        let from = ticket()
        await queues[queue].flush()
        let to = ticket()
        notes.withLock { $0.flushes.append(.init(queue: queue, from: from, to: to)) }
        tasks.leave()
      }
      return
    }
    let isBarrier = actor.dice.once(in: 4)
    let slip = draft(.awaited, &actor, on: queue, isBarrier: isBarrier)
    let target = target(of: slip, isBarrier)
    let task = Task {
      do {
        try await target.run(priority: .medium, line: UInt(slip.number)) { [self] in
          perform(slip)
        }
        noteReturn(slip, true)
      } catch is CancellationError {
        slip.note { $0.outcome = .cancelled }
        noteReturn(slip, nil)
      } catch {
        noteReturn(slip, false)
      }
      tasks.leave()
    }
    if actor.dice.once(in: 3) { task.cancel() }
  }
}
