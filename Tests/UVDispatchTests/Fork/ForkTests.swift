import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("In a forked child")
  struct ForkTests {
    @Test("every submission is refused at once, and the parent goes on")
    func everySubmission() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let view = dispatcher.makeQueue(label: "view", width: 2)
          let ran = Box(0)
          dispatcher.background { ran.increment() }
          dispatcher.runUntilIdle()

          let broken = inForkedChild { whatIsNotRefused(on: dispatcher, view) }

          #expect(broken == nil)
          dispatcher.background { ran.increment() }
          dispatcher.foreground { dispatcher.beginShutdown() }
          let report = dispatcher.run()
          #expect(ran.value == 2)
          #expect(report.ledger.refused == 0)
          #expect(report.ledger.balances)
        }
      }
    }

    @Test("a submission takes no lock, which a thread of the parent may have held")
    func lockedParent() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let view = dispatcher.makeQueue(label: "view", width: 2)

          let broken = withLockHeldElsewhere(dispatcher) {
            inForkedChild { whatIsNotRefused(on: dispatcher, view) }
          }

          #expect(broken == nil)
        }
      }
    }

    @Test("an item that waits already is refused once more, and has no outcome")
    func waitingItem() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let site = CallSite(fileID: #fileID, line: #line)
          let queue = dispatcher.foreground
          let item = WorkItem.make(kind: .task, queue: queue, label: nil, site: site) {}
          dispatcher.submit(item)

          let broken = inForkedChild {
            guard dispatcher.submit(item) == .refused(.forkedChild) else { return "not refused" }
            return item.outcome == nil ? nil : "it has an outcome"
          }

          #expect(broken == nil)
          dispatcher.runUntilIdle()
          #expect(item.outcome == .completed)
        }
      }
    }

    @Test("what the parent has queued is not waited for, and that takes no lock")
    func waiting() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let (ended, group) = (dispatcher.background.submit {}, WorkGroup())
          dispatcher.runUntilIdle()
          let queued = dispatcher.foreground.submit(group: group) {}

          let broken = withLockHeldElsewhere(dispatcher) {
            inForkedChild {
              guard isRefused({ _ = try queued.wait() }) else { return "waiting for a task" }
              guard isRefused({ try group.wait() }) else { return "for a group" }
              return (try? ended.wait()) == .completed ? nil : "waiting for what had ended"
            }
          }

          #expect(broken == nil)
          dispatcher.runUntilIdle()
          #expect(queued.outcomeIfFinished == .completed)
        }
      }
    }

    @Test("a loop cannot be run, and that takes no lock either")
    func run() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()

          let status = withLockHeldElsewhere(dispatcher) {
            statusOfForkedChild { dispatcher.run() }
          }

          // The child traps. It is not ended by the alarm, which ends a child that hangs.
          let signal = status & 0x7f
          #expect([SIGILL, SIGTRAP, SIGABRT].contains(signal), "ended by \(signal)")
        }
      }
    }

    @Test("a dispatcher can be let go of, and the parent's loop goes on")
    func letGoOf() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let pipe = Pipe()
          let ran = Box(0)
          let held = Box<UVDispatcher?>(try UVDispatcher())
          try held.value?.onReady(pipe.readEnd, for: .readable) { _ in
            pipe.read()
            ran.increment()
          }
          held.value?.runUntilIdle()

          let status = statusOfForkedChild { held.value = nil }

          #expect(status == 0)
          // If nothing wakes the loop any more, only this alarm ends the process.
          alarm(UInt32(patience.seconds))
          held.value?.foreground { ran.increment() }
          held.value?.runUntilIdle()
          #expect(ran.value == 1)
          pipe.write()
          held.value?.runUntilIdle()
          #expect(ran.value == 2)
        }
      }
    }

    @Test("forked by a body on the loop or on a worker, the same holds")
    func insideBody() async {
      for lane in Lane.allCases {
        await #expect(processExitsWith: .success) { [lane = lane.description as String] in
          try blocking {
            let dispatcher = try UVDispatcher()
            let view = dispatcher.makeQueue(label: "view", width: 2)
            let queue = lane == "foreground" ? dispatcher.foreground : dispatcher.background
            let broken = Box<String?>("no fork")
            let ran = Box(false)
            // The loop's first iteration takes locks of Swift's runtime. A child could do nothing if another
            // thread of the parent held one of them at the fork, so the loop runs once before.
            queue { dispatcher.foreground {} }
            dispatcher.runUntilIdle()
            let loop = KernelThread.current
            queue {
              // While the loop's thread is awake, it may take such a lock.
              if lane == "background" { _ = loop.waitUntilItSleeps() }
              broken.value = inForkedChild { whatIsNotRefused(on: dispatcher, view) }
              dispatcher.foreground { ran.value = true }
            }
            dispatcher.runUntilIdle()
            #expect(broken.value == nil)
            #expect(ran.value)
          }
        }
      }
    }

    @Test("a dispatcher that was made before another is forked too")
    func allDispatchers() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatchers = try (0..<3).map { _ in try UVDispatcher() }
          let broken = inForkedChild { () -> String? in
            for dispatcher in dispatchers {
              guard dispatcher.foreground({}) == .refused(.forkedChild) else { return "accepted" }
            }
            return nil
          }
          #expect(broken == nil)
        }
      }
    }
  }
}

/// Whether `wait` is refused because this is a forked child.
private func isRefused(_ wait: () throws -> Void) -> Bool {
  do { try wait() } catch WaitRefusal.refused(.forkedChild) { return true } catch {}
  return false
}

/// The first call that is not refused to a forked child; nil if all are refused.
private func whatIsNotRefused(on dispatcher: UVDispatcher, _ view: TaskQueue) -> String? {
  let released = Latch(3)
  let replyReleased = Latch()
  // A reply of a body that was running when its process was forked.
  dispatcher.reply(body(releasing: replyReleased), at: .here())
  if !replyReleased.isOpen { return "a reply is kept" }
  for queue in [dispatcher.foreground, dispatcher.background, view, view.barrier] {
    let admissions: [(String, Admission)] = [
      ("plain", queue {}),
      ("options", queue.async(label: "x", group: WorkGroup()) {}),
      (
        "reply",
        queue.async {
          1
        } then: { _ in
        }
      ),
      ("notification", WorkGroup().notify(on: queue) {}),
      ("body", queue(body(releasing: released))),
    ]
    for (name, admission) in admissions where admission != .refused(.forkedChild) {
      return "\(name) on \(queue): \(admission)"
    }
    let timers = [queue.after(.seconds(1)) {}, queue.every(.seconds(1)) {}]
    for timer in timers where timer.outcomeIfFinished != .refused(.forkedChild) {
      return "a timer on \(queue): \(timer.outcomeIfFinished as Any)"
    }
    for timer in timers where timer.cancel() != .tooLate { return "cancelling a timer" }
    do {
      try queue.sync {}
      return "sync on \(queue) ran"
    } catch WaitRefusal.refused(.forkedChild) {
    } catch { return "sync on \(queue): \(error)" }
    do {
      // The task has already ended, so this does not block.
      let outcome = try queue.submit {}.wait()
      if outcome != .refused(.forkedChild) { return "a handle on \(queue): \(outcome)" }
    } catch { return "waiting for what was refused: \(error)" }
  }
  dispatcher.beginShutdown()
  return released.isOpen ? nil : "a refused body is kept"
}

/// Forks, and returns the text that `body` returns in the child; nil if nothing is wrong.
private func inForkedChild(_ body: () -> String?) -> String? {
  var ends: [CInt] = [-1, -1]
  unsafe pipe(&ends)
  // A child that hangs is killed, and the parent sees that in its status.
  let child = forkProcess {
    if let wrong = body() {
      _ = unsafe wrong.withCString { unsafe write(ends[1], $0, strlen($0)) }
      _exit(1)
    }
  }
  close(ends[1])
  var text: [UInt8] = Array(repeating: 0, count: 1_000)
  let length = unsafe read(ends[0], &text, text.count)
  close(ends[0])
  var status: CInt = 0
  unsafe waitpid(child, &status, 0)
  if status == 0 { return nil }
  if length > 0 { return String(decoding: text.prefix(length), as: UTF8.self) }
  return status & 0x7f == SIGALRM ? "the child hung" : "the child ended with status \(status)"
}
