import Oracle
import TaskDispatch

/// Swift Tasks. Their code between two suspensions is user code like any other.
extension Tangle {
  private var mayStart: Bool { errands.count < 64 }

  /// Awaits the outcome of a task. The thread that ends the task runs the awaiting code, inside the call
  /// that tells the outcome.
  func listen(_ dice: inout Dice, _ generation: Int) {
    guard mayStart, let (kept, handle) = shelf.task(at: dice.roll(1 << 20)) else { return }
    let seed = dice.next()
    let (ticket, mark) = (kept.ticket, kept.mark)
    let errand = errands.begin("is told by the thread that ends it of #\(mark)")
    totals.asyncCalls.add()
    call("listening to #\(mark)") {
      _ = Task(executorPreference: inline) { [self] in
        let outcome = await handle.outcome
        callback(.outcome, mark) {
          heard(outcome, ticket)
          act(seed, generation: generation + 1)
        }
        errands.end(errand)
      }
    }
  }

  /// Awaits a value on a thread of Swift's pool.
  func awaitValue(_ dice: inout Dice, _ generation: Int) {
    guard mayStart, let (kept, handle) = shelf.task(at: dice.roll(1 << 20)) else { return }
    let seed = dice.next()
    let ticket = kept.ticket
    let errand = errands.begin("awaits the value of #\(kept.mark)")
    totals.asyncCalls.add()
    call("awaiting #\(kept.mark)") {
      _ = Task { [self] in
        await hear(handle, ticket)
        outside(.task) { act(seed, generation: generation + 1) }
        errands.end(errand)
      }
    }
  }

  private func hear(_ handle: TaskHandle<Token>, _ ticket: Ticket) async {
    do {
      _ = try await handle.value
      checkers[ticket.queue].heard(.ran, of: ticket)
    } catch is Mishap {
      checkers[ticket.queue].heard(.ran, of: ticket)
    } catch is CancellationError {
      checkers[ticket.queue].heard(.cancelled, of: ticket)
    } catch let error as NoValue {
      heard(error.outcome, ticket)
    } catch {
      violations.report(.once, ticket, "its value threw \(error)")
    }
  }

  /// Runs two jobs on a queue.
  func startJob(_ dice: inout Dice, _ generation: Int) {
    guard mayStart, !isExact else { return }
    let queue = anyQueue(&dice)
    let (first, second) = (dice.next(), dice.next())
    let errand = errands.begin("jobs on \(queues[queue])")
    totals.asyncCalls.add()
    call("starting a Task on \(queues[queue])") {
      _ = Task(executorPreference: queues[queue].executor) { [self] in
        job(in: queue) { act(first, generation: generation + 1) }
        await Task.yield()
        job(in: queue) { act(second, generation: generation + 1) }
        errands.end(errand)
      }
    }
  }

  /// Awaits a body. The calling code may cancel the awaiting Task.
  func run(_ dice: inout Dice, _ generation: Int, isCancelled: Bool) {
    guard mayStart, !isExact else { return }
    let queue = anyQueue(&dice)
    let (ticket, mark) = issue(.awaited, on: queue, mayVanish: true)
    let (first, second, third) = (dice.next(), dice.next(), dice.next())
    let target = queues[queue]
    let delay = Int64(dice.roll(300_000))
    let cancelsAtOnce = dice.once(in: 2)
    let errand = errands.begin(
      "runs #\(mark) on \(queues[queue])\(isCancelled ? ", cancelled" : "")")
    totals.asyncCalls.add()
    call("starting a Task that runs #\(mark)") {
      let task = Task { [self] in
        await withTaskCancellationHandler {
          do {
            try await target.run(fileID: Self.file, line: UInt(mark)) { [self] in
              live.add()
              body(ticket, mark) { act(first, generation: generation + 1) }
            }
            checkers[queue].heard(.ran, of: ticket)
          } catch is CancellationError {
            checkers[queue].heard(.cancelled, of: ticket)
          } catch let error as NoValue {
            if case .refused = error.outcome { checkers[queue].refused(ticket) }
            heard(error.outcome, ticket)
          } catch {
            violations.report(.once, ticket, "run threw \(error)")
          }
        } onCancel: { [self] in
          callback(.cancellation, mark) { act(second, generation: generation + 1) }
        }
        outside(.task) { act(third, generation: generation + 1) }
        errands.end(errand)
      }
      guard isCancelled else { return }
      if cancelsAtOnce {
        return call("cancelling a Task", holdsRuntimeLock: true) { task.cancel() }
      }
      janitors.promise("cancelling a Task", in: delay) { [self] in
        outside(.thread) {
          call("cancelling a Task", holdsRuntimeLock: true) { task.cancel() }
        }
      }
    }
  }

  /// Suspends a Task until a queue has ended what it had, or until a group is empty.
  func awaitQuiet(_ dice: inout Dice, _ generation: Int) {
    guard mayStart else { return }
    let group = dice.once(in: 2) ? takeGroup(&dice) : nil
    let queue = queues[anyQueue(&dice)]
    let seed = dice.next()
    let errand = errands.begin(group == nil ? "flushes \(queue)" : "waits for a group")
    totals.asyncCalls.add()
    Task { [self] in
      if let group { await group.wait() } else { await queue.flush() }
      outside(.task) { act(seed, generation: generation + 1) }
      errands.end(errand)
    }
  }
}
