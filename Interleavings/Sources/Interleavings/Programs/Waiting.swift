import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Threads that wait, and what they wait for.
  static let waiting: [Program] = [
    Program("wait for a handle", "a wait, and the end of its task", threads: 2, calls: 3) { scene in
      let dispatcher = scene.dispatcher()
      let handle = dispatcher.background.submit(scene.body("task"))
      scene.thread("waiter") {
        do { try handle.wait() } catch { scene.check(false, "the wait has thrown \(error)") }
      }
    },
    Program("cancel", "a cancellation, and the start of its task", threads: 2, calls: 3) { scene in
      let dispatcher = scene.dispatcher()
      let body = scene.body("task")
      let handle = dispatcher.background.submit { body() }
      scene.thread("canceller") { scene.expect("task", handle.cancel()) }
    },
    Program("sync and barrier", "a sync, a barrier, and a post", threads: 3, calls: 5) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "wide", width: 2)
      let inside = Inside()
      let sync = scene.body("sync") { inside.pass(scene, alone: false) }
      let barrier = scene.body("barrier") { inside.pass(scene, alone: true) }
      scene.thread("caller") {
        do { try queue.sync(sync) } catch { scene.check(false, "the sync has thrown \(error)") }
      }
      scene.thread("barrier") { queue.barrier(barrier) }
      queue(scene.body("plain") { inside.pass(scene, alone: false) })
    },
    Program("sync on the loop", "a sync of the foreground, and a post", threads: 3, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (sync, post) = (scene.body("sync"), scene.body("post"))
      scene.thread("caller") {
        do { try dispatcher.foreground.sync(sync) } catch {
          scene.check(false, "the sync has thrown \(error)")
        }
      }
      scene.thread("poster") { dispatcher.foreground(post) }
    },
    stuck("stuck", "a post to the pool", submit: { $0.background.submit($1) }),
    stuck("stuck, and the loop", "a post to the loop", submit: { $0.foreground.submit($1) }),
    Program("group", "a callback that waits for another group", threads: 3, calls: 6) { scene in
      let dispatcher = scene.dispatcher()
      let (first, second) = (WorkGroup(), WorkGroup())
      let (left, right) = (scene.body("left"), scene.body("right"))
      dispatcher.background.async(group: second, right)
      first.whenEmpty(
        scene.body("callback") {
          do { try second.wait() } catch { scene.check(false, "the wait has thrown \(error)") }
        })
      scene.thread("left") { dispatcher.background.async(group: first, left) }
    },
    Program("deinit", "a body's capture whose deinit syncs, and a post", threads: 2, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (sync, post) = (scene.body("sync"), scene.body("post"))
      let falling = Falling {
        do { try queue.sync(sync) } catch { scene.check(false, "the sync has thrown \(error)") }
      }
      dispatcher.background(scene.body("holder") { [falling] in _ = falling })
      scene.thread("poster") { queue(post) }
    },
    Program(
      "wait behind a post", "a wait in the same section as the drain of a post", threads: 3,
      calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (sync, post, back) = (scene.body("sync"), scene.body("post"), scene.body("back"))
      scene.thread("poster") { dispatcher.background(post) }
      scene.thread("other") { dispatcher.foreground(back) }
      scene.thread("caller") {
        do { try dispatcher.foreground.sync { try dispatcher.background.sync(sync) } } catch {
          scene.check(false, "the sync has thrown \(error)")
        }
      }
    },
    Program(
      "stuck, and a callback", "a wait that must be refused once a callback has ended", threads: 1,
      calls: 6
    ) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (group, gate, isInside, behind) = (
        WorkGroup(), Gate(), Gate(), Box<TaskHandle<Void>?>(nil)
      )
      let refused = scene.body("refused")
      dispatcher.background.async(group: group, scene.body("member") { isInside.wait() })
      group.whenEmpty(scene.body("callback") { gate.wait() })
      queue.suspend()
      queue(
        scene.body("waiter") {
          isInside.open()
          do { try behind.value!.wait() } catch { refused() }
        })
      behind.value = queue.submit(scene.body("behind"))
      queue.resume()
      scene.simulation.quiesce()
      gate.open()
    },
    Program("limit", "two submissions for one place, and a start", threads: 3, calls: 4) { scene in
      let dispatcher = scene.dispatcher(width: 1, overflow: .reject(limit: 1))
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { scene.expect(name, dispatcher.background(body)) }
      }
      let body = scene.body("own")
      scene.expect("own", dispatcher.background(body))
    },
    Program("room and shutdown", "a wait for room, and a shutdown", threads: 2, calls: 4) { scene in
      let dispatcher = scene.dispatcher(
        width: 1, starts: true, overflow: .blockCaller(limit: 1, timeout: nil))
      let gate = Gate()
      dispatcher.background(scene.body("first") { gate.wait() })
      dispatcher.background(scene.body("second"))
      let third = scene.body("third")
      scene.leaveOpen("third")
      scene.thread("submitter") { scene.expect("third", dispatcher.background(third)) }
      dispatcher.beginShutdown(ShutdownPolicy())
      gate.open()
      scene.leaveOpen("second")
    },
    Program("nested sync", "a sync inside a sync, and posts to both queues", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher()
      let (outer, inner) = (
        dispatcher.makeQueue(label: "outer", width: 1),
        dispatcher.makeQueue(label: "inner", width: 1)
      )
      let (inside, left, right) = (scene.body("inside"), scene.body("left"), scene.body("right"))
      scene.thread("left") { outer(left) }
      scene.thread("right") { inner(right) }
      do { try outer.sync { try inner.sync(inside) } } catch {
        scene.check(false, "the sync has thrown \(error)")
      }
    },
    Program("room", "a submission that waits for room, and a start", threads: 2, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher(width: 1, overflow: .blockCaller(limit: 1, timeout: nil))
      let (second, third) = (scene.body("second"), scene.body("third"))
      dispatcher.background(scene.body("first"))
      scene.thread("submitter") {
        dispatcher.background(second)
        dispatcher.background(third)
      }
    },
  ]
}

extension Program {
  /// A task waits for one behind it in its queue, which must be refused. At the same time, another thread submits.
  private static func stuck(
    _ name: String, _ other: String,
    submit: @escaping @Sendable (UVDispatcher, @escaping @Sendable () -> Void) -> TaskHandle<Void>
  ) -> Program {
    Program(name, "a wait that must be refused, and \(other)", threads: 2, calls: 6) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (gate, behind, other) = (Gate(), Box<TaskHandle<Void>?>(nil), scene.body("other"))
      _ = submit(dispatcher, scene.body("before"))
      queue(
        scene.body("waiter") {
          gate.wait()
          do {
            try behind.value!.wait()
            scene.check(false, "a task has waited for one behind it")
          } catch {}
        })
      behind.value = queue.submit(scene.body("behind"))
      gate.open()
      scene.thread("submitter") { _ = submit(dispatcher, other) }
    }
  }
}

/// The bodies that are inside at a time, for bodies of which one must be alone.
private final class Inside: @unchecked Sendable {
  private var count = 0
  private var isAlone = false

  func pass(_ scene: Scene, alone: Bool) {
    scene.check(!isAlone && (!alone || count == 0), "a barrier is not alone")
    count += 1
    isAlone = alone
    scene.simulation.yield()
    count -= 1
    isAlone = false
  }
}

/// Calls a body in its `deinit`.
final class Falling: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
