/// What a thread holds while it makes callbacks, and in how many steps it searches for deadlocks.
let callbackBugs: [Bug] = holdingBugs + stepBugs

private let holdingBugs = [
  Bug(
    "telling.as-a-searcher",
    breaks:
      "rule 20: a worker that makes a callback counts as one that looks for work",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .statement(
      "tellIfDue(core, isWorker: true)",
      becomes:
        "core.workers.beginSearch()\ntellIfDue(core, isWorker: true)\ncore.workers.endSearch()",
      within: "core.renewIfKnown(&context)\n        tellIfDue(core, isWorker: true)"),
    suites: ["UVContractTests"]),
  Bug(
    "telling.in-the-next",
    breaks:
      "rule 20: a callback is in the context of the next task, which its thread has taken already",
    in: "UVDispatch/Engine/Engine+Worker.swift",
    .statement(
      "tellIfDue(core, isWorker: true)",
      becomes:
        """
        if !core.callbacks.isEmpty, let after = core.startOnWorker(context) {
          context.enter(by: dispatcher)
          unlock()
          lock()
          context.leave()
          _ = run(after, in: context, core, within: &slice.budget, left: &left)
          core.renewIfKnown(&context)
        }
        tellIfDue(core, isWorker: true)
        """,
      within: "core.renewIfKnown(&context)\n        tellIfDue(core, isWorker: true)"),
    suites: ["UVContractTests", "StoppingInCallbackTests"]),
  Bug(
    "body.as-a-searcher",
    breaks: "workers whose bodies release what waits count as such that look for work",
    in: "UVDispatch/Engine/Engine+Bodies.swift",
    .statement(
      "Self.perform(consume plain)",
      becomes:
        """
        lock()
        core.workers.beginSearch()
        free()
        Self.perform(consume plain)
        lock()
        core.workers.endSearch()
        free()
        """),
    suites: ["UVContractTests"]),
  Bug(
    "job.dispatcher-not-kept", breaks: "rule 4: a Task whose dispatcher is gone goes on elsewhere",
    in: "UVDispatch/UVExecutors.swift",
    .statement(
      "self.dispatcher = dispatcher",
      becomes:
        "self.dispatcher = dispatcher\nunsafe Unmanaged.passUnretained(dispatcher).release()",
      within: "self.dispatcher = dispatcher\n    self.lane = lane\n    self.view = view"),
    suites: ["KeptByTaskTests"]),
]

private let stepBugs = [
  Bug(
    "held.searched", breaks: "a shutdown looks for each of n notifications among all of them",
    in: "UVDispatch/Engine/Parts/HeldItems.swift",
    .expression(
      "item.place.position", becomes: "all.indices.first { isHere(item, at: $0) } ?? all.count",
      within: "let index = item.place.position"),
    suites: ["HeldItemsTests"]),
  Bug(
    "search.waiters-twice", breaks: "a search for deadlocks takes exponentially many steps",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .without("queues[queue]!.waiters = []"),
    suites: ["StepsOfDeadlockSearchTests", "StepsOfWaitsTests"]),
  Bug(
    "search.looks-at-all",
    breaks: "a search for deadlocks looks at every thread again for each that goes on",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .statement(
      "lookAgain(task.queue)",
      becomes:
        "lookAgain(task.queue)\nwork += core.blocked.threads.filter { $0.isSearched && !$0.isLive }"
    ),
    suites: ["StepsOfDeadlockSearchTests", "StepsOfWaitsTests"]),
  Bug(
    "search.each-section", breaks: "every change searches for deadlocks while threads are blocked",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("blocked.takeSuspicion()", becomes: "true"),
    suites: ["StepsOfWaitsTests"]),
  Bug(
    "blocked.start-wakes-all", breaks: "each start in a queue wakes all that wait there",
    in: "UVDispatch/Engine/Waiting/BlockedThreads.swift",
    .statement(
      "for thread in threads where thread.isWaiting(for: task) { flag(thread) }",
      becomes: "flagAll()"),
    suites: ["StepsOfWaitsTests"]),
  Bug(
    "search.suspended-is-dead", breaks: "rule 14: refused for a view that may be resumed",
    in: "UVDispatch/Engine/Waiting/DeadlockSearch.swift",
    .expression(
      "queue.hasDeadBarrier", becomes: "queue.hasDeadBarrier || view.queue.isSuspended",
      within: "if queue.hasDeadBarrier ||"),
    suites: ["BusyQueueTests"]),
  Bug(
    "sync.helps-at-once", breaks: "a thread runs what stands before its turn while others could",
    in: "UVDispatch/UVDispatcher+Waiting.swift",
    .expression(
      "thread.mayHelp",
      becomes: "thread.mayHelp || core.poolView(task.view).queue.helperMayStart(now: { core.now })",
      within: "if thread.mayHelp { help"),
    suites: ["BusyQueueTests"]),
  Bug(
    "room.not-judged",
    breaks: "rule 14: a body waits for room in its own queue while another body runs",
    in: "UVDispatch/UVDispatcher+Submitting.swift",
    .without("core.judge(closing: thread)"),
    suites: ["BusyQueueTests"]),
  Bug(
    "search.delivery-goes-on",
    breaks: "rule 14: a callback that waits for the loop on its own thread is not told",
    in: "UVDispatch/Engine/Core/Core+Waiting.swift",
    .expression("blocked.deliveries", becomes: "0", within: "== blocked.deliveries"),
    suites: ["WaitsOnTheLoopTests"]),
]
