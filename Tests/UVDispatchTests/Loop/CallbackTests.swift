import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A callback of libuv, which is on the loop's thread and in no task,")
  struct CallbackTests {
    /// Runs `body` soon, in a callback of libuv. To be called on the foreground.
    private func inCallback(
      on dispatcher: UVDispatcher, _ pipe: Pipe, _ body: @escaping @Sendable () -> Void
    ) {
      unsafe dispatcher.withLoop { loop in
        unsafe Adopted.onceReadable(pipe.readEnd, on: loop, body)
      }
      pipe.write()
    }

    /// Whether `sync` on `queue` is refused to the calling thread.
    private func isRefused(_ queue: TaskQueue) -> Bool { (try? queue.sync {}) == nil }

    @Test("may submit while a shutdown drains, but no timer", arguments: [false, true])
    func draining(starts: Bool) throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let (ran, gate) = (Box([String]()), Latch())
      // This body holds up the drain until the body runs that the callback has posted.
      dispatcher.background { gate.hold(patience) }
      dispatcher.foreground {
        dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(3600)))
        inCallback(on: dispatcher, pipe) {
          #expect(!dispatcher.isForeground)
          dispatcher.background.submit { ran.change { $0.append("handle") } }
          let timer = dispatcher.foreground.after(.milliseconds(1)) {
            ran.change { $0.append("timer") }
          }
          #expect("\(timer.outcomeIfFinished as Any)".contains("shutting down"))
          dispatcher.foreground {
            ran.change { $0.append("post") }
            gate.open()
          }
        }
      }

      if starts {
        try dispatcher.start()
        dispatcher.waitUntil { $0.loop.isOver }
      } else {
        dispatcher.run()
      }

      #expect(Set(ran.value) == ["handle", "post"])
      #expect(dispatcher.report?.unfinished.isEmpty == true)
    }

    @Test("does not wait for room where only the loop makes room, but elsewhere it does")
    func full() throws {
      let dispatcher = try UVDispatcher(
        .init(
          backgroundWidth: 1, overflow: .blockCaller(limit: 1, timeout: nil)))
      let pipe = Pipe()
      let admissions = Box([Admission]())
      let (isRunning, gate) = (Latch(), Latch())
      dispatcher.background {
        isRunning.open()
        #expect(gate.wait(patience))
      }
      #expect(isRunning.wait(patience))
      dispatcher.background {}
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          for _ in 0..<2 { admissions.change { $0.append(dispatcher.foreground {}) } }
          gate.open()
          admissions.change { $0.append(dispatcher.background {}) }
        }
      }

      dispatcher.runUntilIdle()

      #expect(admissions.value == [.accepted, .refused(.wouldDeadlock), .accepted])
    }

    @Test("cannot wait for the foreground, and can for a view")
    func sync() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let answers = Box([String]())
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          do {
            try dispatcher.foreground.sync {}
          } catch {
            answers.change { $0.append("\(error)") }
          }
          answers.change { $0.append((try? view.sync { "view" }) ?? "refused") }
          dispatcher.foreground { dispatcher.beginShutdown() }
        }
      }

      dispatcher.run()

      #expect(
        answers.value == [
          "this would wait for itself: this thread waits for its turn on foreground. Submit the "
            + "work instead of waiting for it, or call it directly.", "view",
        ])
    }

    @Test("is told that it waits for itself while the pool goes on")
    func syncBesideWorker() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let (isRunning, gate) = (Latch(), Latch())
      let wasRefusedInTime = Box(false)
      dispatcher.background {
        isRunning.open()
        wasRefusedInTime.value = gate.wait(patience)
      }
      #expect(isRunning.wait(patience))
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          #expect(isRefused(dispatcher.foreground))
          gate.open()
          dispatcher.foreground { dispatcher.beginShutdown() }
        }
      }

      dispatcher.run()

      #expect(wasRefusedInTime.value)
    }

    @Test("can wait for what the pool does, and not for what its own loop would")
    func wait() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let answers = Box([String]())
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          let mine = dispatcher.foreground.submit(label: "mine") {}
          let theirs = dispatcher.background.submit {}
          for handle in [theirs, mine] {
            do {
              try handle.wait()
              answers.change { $0.append("done") }
            } catch {
              answers.change { $0.append("\(error)") }
            }
          }
          dispatcher.background {
            if !isRefused(dispatcher.foreground) { answers.change { $0.append("it goes on") } }
            dispatcher.beginShutdown()
          }
        }
      }

      dispatcher.run()

      #expect(
        answers.value == [
          "done",
          "this would wait for itself: this thread waits for \"mine\". Submit the work instead of "
            + "waiting for it, or call it directly.", "it goes on",
        ])
    }

    @Test("in which a Task begins is still one")
    func immediateTask() throws {
      let (dispatcher, pipe) = (try UVDispatcher(), Pipe())
      let answers = Box([Bool]())
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          Task.immediate {
            answers.change { $0.append(isRefused(dispatcher.foreground)) }
          }
          dispatcher.foreground { dispatcher.beginShutdown() }
        }
      }

      dispatcher.run()

      #expect(answers.value == [true])
    }

    @Test("is not waited for by a task that it waits for itself", arguments: [false, true])
    func circle(waitsForTurn: Bool) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let pipe = Pipe()
      let answers = Box([String: Bool]())
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          let began = Latch()
          let theirs = view.submit {
            began.open()
            let refused = isRefused(dispatcher.foreground)
            answers.change { $0["task"] = refused }
          }
          #expect(began.wait(patience))
          let refused =
            waitsForTurn ? isRefused(view) : (try? theirs.wait()) == nil
          answers.change { $0["callback"] = refused }
          dispatcher.foreground { dispatcher.beginShutdown() }
        }
      }

      dispatcher.run()

      // Of the task and the callback, the one that began to wait last is refused. Then the other goes on.
      #expect(answers.value.count == 2)
      #expect(answers.value.values.contains(true))
    }

    @Test("waits for room on the pool as long as a worker there goes on")
    func roomOfWaiters() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, overflow: .blockCaller(limit: 1, timeout: nil)))
      let pipe = Pipe()
      let answers = Box([Admission]())
      dispatcher.foreground {
        inCallback(on: dispatcher, pipe) {
          let began = Latch()
          dispatcher.background.submit {
            began.open()
            try? dispatcher.foreground.sync {}
          }
          #expect(began.wait(patience))
          for _ in 0..<2 { answers.change { $0.append(dispatcher.background {}) } }
          dispatcher.foreground { dispatcher.beginShutdown() }
        }
      }

      dispatcher.run()

      // Neither the task nor the callback can go on, so one of the two is refused.
      #expect(answers.value.first == .accepted)
      #expect(answers.value.count == 2)
    }
  }
}
