import Oracle
import TaskDispatch

extension Producer {
  /// Starts a Task and does not wait for it. Starts none while many Tasks are under way.
  private func start(_ body: @escaping @Sendable (World, inout Dice) async -> Void) {
    guard world.pendingAsync.value < 128 else { return }
    let world = world
    let seed = dice.next()
    world.pendingAsync.add()
    world.totals.asyncCalls.add()
    Task {
      var dice = Dice(seed: seed)
      await body(world, &dice)
      world.pendingAsync.add(-1)
    }
  }

  func callRun() {
    let isCancelled = dice.once(in: 4)
    start { world, dice in
      let queue = dice.roll(world.queues.count)
      let seed = dice.next()
      let call = Task { await world.run(on: queue, seed: seed) }
      if isCancelled { call.cancel() }
      await call.value
    }
  }

  func callActor() {
    start { world, dice in
      for _ in 0...dice.roll(4) {
        let clerk = dice.roll(world.actors.count)
        // The actors run on the foreground and on the first view.
        let ticket = world.checkers[clerk * 2].issue(
          .awaited, isCertain: false, seed: dice.next(), at: world.now())
        world.totals.accepted.add()
        await world.actors[clerk].perform(ticket, in: world)
        if !ticket.hasRun {
          world.violations.report(.once, ticket, "an actor's call left its body out")
        }
      }
    }
  }

  func callTaskGroup() {
    start { world, dice in
      let queue = 1 + dice.roll(world.queues.count - 1)
      let seed = dice.next()
      let count = 1 + dice.roll(6)
      let ran = await withTaskExecutorPreference(world.queues[queue].executor) {
        await withTaskGroup(of: Int.self) { group in
          for member in 0..<count {
            group.addTask {
              let ticket = world.checkers[queue].issue(
                .awaited, isCertain: false, seed: seed &+ UInt64(member), at: world.now())
              world.totals.accepted.add()
              world.perform(ticket)
              await Task.yield()
              return ticket.hasRun ? 1 : 0
            }
          }
          return await group.reduce(0, +)
        }
      }
      if ran != count {
        world.violations.report(.once, nil, "a group of \(count) Tasks ran \(ran)")
      }
    }
  }

  func callSleep() {
    let isCancelled = dice.once(in: 3)
    start { world, dice in
      let delay = Duration.microseconds(dice.roll(4_000))
      let sleep = Task {
        let due = world.dispatcher.now.advanced(by: delay)
        do {
          try await world.dispatcher.clock.sleep(until: due)
          let now = world.dispatcher.now
          if now < due {
            world.violations.report(.time, nil, "a sleep until \(due) ended at \(now)")
          }
        } catch is CancellationError {
          world.totals.asyncCancelled.add()
          if !isCancelled, !world.isOver.isRaised {
            world.violations.report(.cancel, nil, "a sleep was cancelled, and no code asked for it")
          }
        } catch {
          world.violations.report(.time, nil, "a sleep threw \(error)")
        }
      }
      if isCancelled { sleep.cancel() }
      await sleep.value
    }
  }

  func callFlush() {
    start { world, dice in
      let queue = dice.roll(world.queues.count)
      let seed = dice.next()
      let ticket = world.checkers[queue].issue(
        .posted, isCertain: false, seed: seed, at: world.now())
      let target = world.queues[queue]
      let admission = target { world.perform(ticket) }
      guard world.settle(ticket, admission) else { return }
      await world.queues[queue].flush()
      world.totals.flushes.add()
      if !ticket.hasRun {
        world.violations.report(.once, ticket, "flush returned before it had ended")
      }
    }
  }
}

extension World {
  /// Calls `run`, and compares its result with what the body saw.
  fileprivate func run(on queue: Int, seed: UInt64) async {
    let checker = checkers[queue]
    let ticket = checker.issue(.awaited, isCertain: false, seed: seed, at: now())
    do {
      let value = try await queues[queue].run { () -> UInt64 in
        self.perform(ticket)
        return seed
      }
      totals.accepted.add()
      if value != seed || !ticket.hasRun {
        violations.report(.once, ticket, "run returned \(value), and its body gave \(seed)")
      }
    } catch is CancellationError {
      totals.asyncCancelled.add()
      checker.cancelledBeforeStart(ticket)
    } catch {
      if let error = error as? NoValue, case .refused(.shutDown) = error.outcome,
        isOver.isRaised
      {
        checker.refused(ticket)
      } else {
        violations.report(.once, ticket, "run threw \(error)")
      }
    }
  }
}
