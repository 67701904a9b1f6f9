import Glibc
import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Callbacks and `deinit`s that take their time, wait, cancel and ask where they are: each has hung an earlier engine.
  static let slowCallbacks: [Program] = [
    Program(
      "long callback after a long body", "a callback behind a body of 1.2 ms, and a post",
      threads: 2, calls: 3
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let (group, gate, post) = (WorkGroup(), Gate(), scene.body("post"))
      dispatcher.background.async(
        group: group, scene.body("member") { scene.sleep(.microseconds(1200)) })
      group.whenEmpty(scene.body("callback") { gate.wait() })
      scene.sleep(.milliseconds(5))
      scene.thread("poster") { dispatcher.background(post) }
      scene.simulation.quiesce()
      scene.check(scene.ran("post") == 1, "a post waits for a callback, and a worker is free")
      gate.open()
    },
    Program(
      "long deinit after a long body",
      "an unused result's deinit behind a body of 1.2 ms, and a post", threads: 2, calls: 2
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let (gate, post) = (Gate(), scene.body("post"))
      let (body, fell) = (scene.body("maker"), scene.body("fell") { gate.wait() })
      dispatcher.background.submit {
        body()
        scene.sleep(.microseconds(1200))
        return Falling(fell)
      }
      scene.sleep(.milliseconds(5))
      scene.thread("poster") { dispatcher.background(post) }
      scene.simulation.quiesce()
      scene.check(scene.ran("post") == 1, "a post waits for a deinit, and a worker is free")
      gate.open()
    },
    Program(
      "callback of a long body waits for the pool",
      "a callback behind a body of 1.2 ms waits for a task of the background", threads: 1, calls: 4
    ) {
      scene in
      let dispatcher = scene.dispatcher()
      let group = WorkGroup()
      let inner = scene.body("inner")
      dispatcher.background.async(
        group: group, scene.body("member") { scene.sleep(.microseconds(1200)) })
      group.whenEmpty(
        scene.body("callback") {
          do { try dispatcher.background.submit(inner).wait() } catch {
            scene.check(false, "the wait has thrown \(error)")
          }
        })
      scene.sleep(.milliseconds(50))
      scene.check(scene.ran("callback") == 1, "the callback is not called")
      scene.check(
        scene.ran("inner") == 1, "the background stands still while a callback waits for it")
    },
    Program("callback cancels", "a callback that cancels the task behind", threads: 1, calls: 5) {
      scene in
      // One worker, so no other can have begun the task behind.
      scene.simulation.setPoolThreads(2)
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (group, behind) = (WorkGroup(), Box<TaskHandle<Void>?>(nil))
      let next = scene.body("behind")
      scene.leaveOpen("behind")
      queue.suspend()
      queue.async(group: group, scene.body("member"))
      group.whenEmpty(
        scene.body("callback") {
          let answer = behind.value!.cancel()
          scene.check(
            answer == .beforeStart,
            "the task behind was taken while a callback runs: cancel() has answered \(answer)")
          scene.expect("behind", answer)
        })
      behind.value = queue.submit { next() }
      queue.resume()
    },
    context("context of a callback"),
    context("context of a callback under a limit", overflow: .reject(limit: 10)),
    context("context of a callback, two queues", isElsewhere: true),
    Program(
      "result syncs on the next queue",
      "an unused result whose deinit syncs on the queue of the next task", threads: 2, calls: 3
    ) {
      scene in
      scene.simulation.setPoolThreads(2)
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let next = dispatcher.makeQueue(label: "next", width: 1)
      let (sync, isReady, maker) = (scene.body("sync"), Gate(), scene.body("maker"))
      queue.submit {
        maker()
        isReady.wait()
        return Falling {
          do { try next.sync(sync) } catch { scene.check(false, "the sync has thrown \(error)") }
        }
      }
      next.submit(scene.body("behind"))
      scene.thread("opener") { isReady.open() }
    },
    Program(
      "shutdown cancels two", "two tasks that a shutdown cancels, of which one waits", threads: 2,
      calls: 5
    ) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let behind = Box<TaskHandle<Void>?>(nil)
      queue.suspend()
      let (first, second) = (scene.body("first"), scene.body("second"))
      scene.leaveOpen("first")
      scene.leaveOpen("second")
      let fell = scene.body("fell")
      queue.submit(
        holder(first) {
          fell()
          // The outcome is known, or the wait is refused: it must come back.
          _ = try? behind.value!.wait()
        })
      behind.value = queue.submit { second() }
      scene.thread("ender") {
        dispatcher.beginShutdown(
          ShutdownPolicy(drain: .milliseconds(5), cancel: .milliseconds(5)))
      }
      scene.sleep(.milliseconds(50))
      scene.check(scene.ran("fell") == 1, "what the first task holds was not released")
      scene.check(dispatcher.report != nil, "the report does not come at the deadline")
    },
    Program("registration", "a registration that holds what cancels it", threads: 1, calls: 2) {
      scene in
      let place = RegistrationPlace()
      let fell = scene.body("fell")
      place.registration = Registration(
        onCancel: holder({}) {
          fell()
          place.registration!.cancel()
        })
      scene.thread("canceller") { place.registration!.cancel() }
    },
    Program(
      "registration, the last owner",
      "a registration is the last owner of its dispatcher, which holds what cancels it", threads: 1,
      calls: 4
    ) {
      scene in
      let place = RegistrationPlace()
      let fell = scene.body("fell")
      scene.simulation.quietly { register(place, fell) }
      scene.thread("canceller") { place.registration!.cancel() }
    },
  ]

  /// Makes a dispatcher that only the registration in `place` keeps.
  @inline(never)
  private static func register(_ place: RegistrationPlace, _ fell: @escaping @Sendable () -> Void) {
    do {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      // No thread runs its loop, so it is never ready.
      place.registration = try dispatcher.onReady(place.descriptor, for: .readable) { _ in }
      dispatcher.foreground(
        holder({}) {
          fell()
          place.registration!.cancel()
        })
    } catch { fatalError("no registration: \(error)") }
  }

  /// A callback of a group asks where it is.
  private static func context(
    _ name: String, overflow: Overflow = .unbounded, isElsewhere: Bool = false
  ) -> Program {
    Program(name, "a callback that asks where it is, and a task behind", threads: 2, calls: 4) {
      scene in
      // One worker, so it goes on with the task behind.
      scene.simulation.setPoolThreads(2)
      let dispatcher = scene.dispatcher(overflow: overflow)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let next = isElsewhere ? dispatcher.makeQueue(label: "next", width: 1) : queue
      let (group, isReady) = (WorkGroup(), Gate())
      queue.async(group: group, scene.body("member") { isReady.wait() })
      group.whenEmpty(
        scene.body("callback") {
          scene.check(!next.isCurrent, "a callback is told on the queue of the next task")
          scene.check(
            CurrentTask.site == nil, "a callback is told in another task: \(CurrentTask.site!)")
        })
      next.submit(scene.body("behind"))
      scene.thread("opener") { isReady.open() }
    }
  }
}

/// A body, of which a capture calls `fall` in its `deinit`. No variable of the caller holds that capture.
@inline(never)
func holder(
  _ body: @escaping @Sendable () -> Void, _ fall: @escaping @Sendable () -> Void
) -> @Sendable () -> Void {
  let falling = Falling(fall)
  return { [falling] in
    body()
    _ = falling
  }
}

/// Where a registration is, and what it watches.
private final class RegistrationPlace: @unchecked Sendable {
  var registration: Registration?
  let descriptor: CInt
  private let other: CInt

  init() {
    var ends: [CInt] = [-1, -1]
    precondition(unsafe pipe(&ends) == 0, "no pipe")
    (descriptor, other) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(other)
  }
}
