import Scheduling
import TaskDispatch
import UVDispatch

extension Program {
  /// Posts against threads that go idle.
  static let posting: [Program] = [
    Program("post", "a post, and a worker that goes idle", threads: 2, calls: 2) { scene in
      let dispatcher = scene.dispatcher()
      let late = scene.body("late")
      dispatcher.background(scene.body("early"))
      scene.thread("poster") { dispatcher.background(late) }
    },
    Program("posts", "two posts, and a worker that goes idle", threads: 3, calls: 3) { scene in
      let dispatcher = scene.dispatcher()
      let (left, right) = (scene.body("left"), scene.body("right"))
      dispatcher.background(scene.body("early"))
      scene.thread("left") { dispatcher.background(left) }
      scene.thread("right") { dispatcher.background(right) }
    },
    Program("nested posts", "a body that posts, and a post", threads: 2, calls: 3) { scene in
      let dispatcher = scene.dispatcher()
      let (inner, other) = (scene.body("inner"), scene.body("other"))
      dispatcher.background(scene.body("outer") { dispatcher.background(inner) })
      scene.thread("poster") { dispatcher.background(other) }
    },
    Program("foreground", "two posts, and a loop that goes to sleep", threads: 3, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      let (left, right) = (scene.body("left"), scene.body("right"))
      scene.thread("left") { dispatcher.foreground(left) }
      scene.thread("right") { dispatcher.foreground(right) }
    },
    Program("by hand", "two items that take the lock, and a loop that spins", threads: 3, calls: 3)
    {
      scene in
      let dispatcher = scene.dispatcher(starts: true)
      dispatcher.foreground(scene.body("early"))
      for name in ["left", "right"] {
        let body = scene.body(name)
        scene.thread(name) { dispatcher.foreground.async(timeToLive: .seconds(9), body) }
      }
    },
    Program("there and back", "loop and worker post to each other", threads: 2, calls: 5) { scene in
      let dispatcher = scene.dispatcher(starts: true)
      let last = scene.body("last")
      let middle = scene.body("middle") { dispatcher.background(last) }
      let other = scene.body("other")
      dispatcher.background(scene.body("first") { dispatcher.foreground(middle) })
      scene.thread("poster") { dispatcher.foreground(other) }
    },
    Program("view", "posts to a serial queue, and its drain", threads: 3, calls: 4) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (left, right) = (scene.body("left"), scene.body("right"))
      queue(scene.body("early"))
      scene.thread("left") { queue(left) }
      scene.thread("right") { queue(right) }
    },
    Program("full view", "a full queue gets more, also from its own body", threads: 3, calls: 5) {
      scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "serial", width: 1)
      let (inner, left, right) = (scene.body("inner"), scene.body("left"), scene.body("right"))
      queue(scene.body("outer") { queue(inner) })
      scene.thread("left") { queue(left) }
      scene.thread("right") { dispatcher.background(right) }
    },
    Program("suspended view", "a resume, and a post", threads: 2, calls: 5) { scene in
      let dispatcher = scene.dispatcher()
      let queue = dispatcher.makeQueue(label: "wide", width: 2)
      let late = scene.body("late")
      queue.suspend()
      queue(scene.body("early"))
      scene.thread("poster") { queue(late) }
      queue.resume()
    },
    Program("priorities", "a post, and an urgent one that takes the lock", threads: 3, calls: 3) {
      scene in
      let dispatcher = scene.dispatcher(width: 1)
      let (urgent, plain) = (scene.body("urgent"), scene.body("plain"))
      dispatcher.background(scene.body("early"))
      scene.thread("urgent") { dispatcher.background.async(priority: .high, urgent) }
      scene.thread("plain") { dispatcher.background(plain) }
    },
    Program("two dispatchers", "two dispatchers on one pool of two threads", threads: 2, calls: 5) {
      scene in
      scene.simulation.setPoolThreads(2)
      let (one, other) = (scene.dispatcher(), scene.dispatcher())
      let (second, third) = (scene.body("second"), scene.body("third"))
      one.background(scene.body("first") { other.background(second) })
      scene.thread("poster") { other.background(third) }
    },
  ]
}
