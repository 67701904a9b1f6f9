import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// User code that takes its time where the end of a task is told: callbacks of groups, and `deinit`s.
  static let telling: [Program] = [
    waitsForTheNext("callback waits on a view") { dispatcher in
      dispatcher.makeQueue(label: "serial", width: 1)
    },
    waitsForTheNext("callback waits on the loop", starts: true) { $0.foreground },
    waitsForTheNext("callback waits under a limit", overflow: .reject(limit: 10)) { dispatcher in
      dispatcher.makeQueue(label: "serial", width: 1)
    },
    resultSyncs("result syncs"),
    resultSyncs("result syncs under a limit", overflow: .reject(limit: 10)),
    Program(
      "captures misbehave", "captures whose deinits submit, cancel and sync", threads: 1, calls: 9
    ) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      for number in 1...3 {
        let (submitted, synced) = (
          scene.body("submitted \(number)"), scene.body("synced \(number)")
        )
        let falling = Falling {
          let handle = dispatcher.background.submit { submitted() }
          scene.expect("submitted \(number)", handle.cancel())
          do { try queue.sync(synced) } catch { scene.check(false, "the sync has thrown \(error)") }
        }
        dispatcher.background(scene.body("holder \(number)") { [falling] in _ = falling })
      }
    },
    Program("long callback", "a callback that takes its time, and a post", threads: 2, calls: 4) {
      scene in
      let dispatcher = scene.dispatcher()
      let (group, isReady, gate) = (WorkGroup(), Gate(), Gate())
      let (post, behind) = (scene.body("post"), scene.body("behind"))
      dispatcher.background.async(group: group, scene.body("member") { isReady.wait() })
      group.whenEmpty(scene.body("callback") { gate.wait() })
      isReady.open()
      dispatcher.background(behind)
      scene.thread("poster") { dispatcher.background(post) }
      scene.simulation.quiesce()
      scene.check(scene.ran("post") == 1, "a post waits for a callback, and a worker is free")
      scene.check(scene.ran("behind") == 1, "a body waits for a callback, and a worker is free")
      gate.open()
    },
    Program(
      "callback waits for the pool", "callbacks that wait for tasks of the background", threads: 2,
      calls: 6
    ) {
      scene in
      // Each callback keeps a thread, and the library leaves one to others.
      scene.simulation.setPoolThreads(4)
      let dispatcher = scene.dispatcher()
      for name in ["left", "right"] {
        let group = WorkGroup()
        let inner = scene.body("inner \(name)")
        dispatcher.background.async(group: group, scene.body("member \(name)"))
        group.whenEmpty(
          scene.body("callback \(name)") {
            do { try dispatcher.background.submit(inner).wait() } catch {
              scene.check(false, "the wait has thrown \(error)")
            }
          })
      }
    },
    Program(
      "callback suspends", "a callback that suspends its view, and a task behind", threads: 1,
      calls: 5
    ) { scene in
      // One worker, so no other can have begun the task behind.
      scene.simulation.setPoolThreads(2)
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let group = WorkGroup()
      queue.suspend()
      queue.async(group: group, scene.body("member"))
      group.whenEmpty(
        scene.body("callback") {
          queue.suspend()
          scene.check(!queue.isCurrent, "a callback is told on the queue of another task")
        })
      let behind = scene.body("behind")
      queue.submit { behind() }
      queue.resume()
      scene.simulation.quiesce()
      scene.check(scene.ran("behind") == 0, "a task of a suspended view has run")
      queue.resume()
    },
  ]

  /// A callback of a group waits for the task behind the group's last member.
  private static func waitsForTheNext(
    _ name: String, starts: Bool = false, overflow: Overflow = .unbounded,
    on queue: @escaping @Sendable (UVDispatcher) -> TaskQueue
  ) -> Program {
    Program(name, "a callback that waits for the task behind", threads: 2, calls: 5) { scene in
      let dispatcher = scene.dispatcher(starts: starts, overflow: overflow)
      let queue = queue(dispatcher)
      let (group, behind, isReady) = (WorkGroup(), Box<TaskHandle<Void>?>(nil), Gate())
      queue.async(group: group, scene.body("member") { isReady.wait() })
      group.whenEmpty(
        scene.body("callback") {
          do { try behind.value!.wait() } catch {
            // On the loop nothing else can run that task, and a refusal is right.
            scene.check(queue.lane == .foreground, "the wait has thrown \(error)")
          }
        })
      behind.value = queue.submit(scene.body("behind"))
      scene.thread("opener") { isReady.open() }
    }
  }

  private static func resultSyncs(_ name: String, overflow: Overflow = .unbounded) -> Program {
    Program(
      name, "an unused result whose deinit syncs on its own queue, and a post", threads: 2, calls: 4
    ) { scene in
      let dispatcher = scene.dispatcher(overflow: overflow)
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (sync, post) = (scene.body("sync"), scene.body("post"))
      let body = scene.body("maker")
      queue.submit {
        body()
        return Falling {
          do { try queue.sync(sync) } catch { scene.check(false, "the sync has thrown \(error)") }
        }
      }
      scene.thread("poster") { queue(post) }
    }
  }
}
