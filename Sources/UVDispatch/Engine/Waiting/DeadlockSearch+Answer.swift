internal import TaskDispatch

/// What a search has found: which threads are not live, and which of them is refused with which chain.
extension DeadlockSearch {
  /// The thread to refuse: of the circle that `thread` leads to, the one that was blocked last. To refuse a thread
  /// outside the circle would not let it go on. Without a circle, the last of all that are not live. Nil if none can be
  /// refused.
  ///
  /// - Parameter thread: Is not live.
  func victim(from thread: BlockedThread) -> BlockedThread? {
    last(of: chain(from: thread).circle) ?? last(of: dead[...])
  }

  /// The thread that was blocked last, of those that can be refused. Such a thread runs nothing on top of its wait, and
  /// the loop's thread does not run the body of its `sync`.
  private func last(of threads: ArraySlice<BlockedThread>) -> BlockedThread? {
    threads.filter { thread in
      if case .admission(let caller) = thread.target, core.isRunning(caller) { return false }
      return !thread.isBusy
    }.max { $0.number < $1.number }
  }

  /// What the threads wait for that `thread` waits for, each for the next. `thread` is not live.
  func links(after thread: BlockedThread) -> [WaitLink] {
    chain(from: thread).threads.dropFirst().map(\.link)
  }

  /// The threads from `thread` on, each waiting for the next, until one comes up again; and the circle from there on.
  private func chain(
    from thread: BlockedThread
  ) -> (threads: [BlockedThread], circle: ArraySlice<BlockedThread>) {
    let holders = Holders(dead)
    var chain = [thread]
    var indices = [ObjectIdentifier(thread): 0]
    while let next = next(after: chain.last!, holders) {
      look()
      if let start = indices[ObjectIdentifier(next)] { return (chain, chain[start...]) }
      indices[ObjectIdentifier(next)] = chain.count
      chain.append(next)
    }
    return (chain, [])
  }

  /// The first thread that is not live and runs a task of a queue, is in a worker run, or runs the loop.
  private struct Holders {
    var queues: [TaskQueue.Identity: BlockedThread] = [:]
    var worker: BlockedThread?
    var loop: BlockedThread?

    init(_ dead: [BlockedThread]) {
      for thread in dead.reversed() {
        for task in thread.tasks { queues[task.queue] = thread }
        if thread.isWorker { worker = thread }
        if thread.isLoop { loop = thread }
      }
    }
  }

  /// A thread that is not live, and that keeps `thread` from being live.
  private func next(after thread: BlockedThread, _ holders: Holders) -> BlockedThread? {
    switch thread.blocker {
    case .thread(let other): other
    case .queue(let queue):
      holders.queues[queue] ?? queues[queue]?.busyCallers.first { !$0.isLive }
    case .workers: holders.worker
    case .loop: holders.loop
    case nil: nil
    }
  }
}

extension BlockedThread {
  /// The thread, and what it waits for, in words.
  var link: WaitLink {
    let thread = isLoop ? "the loop's thread" : isWorker ? "a worker" : "a thread outside"
    return WaitLink(
      waiter: task?.name ?? thread, waiterQueue: task?.queueLabel, waitsFor: nameOfTarget)
  }

  private var nameOfTarget: String {
    switch target {
    case .admission(let caller): "its turn on \(caller.queueLabel)"
    case .item(let item): item.name
    case .group: "a group"
    case .room(let task): "room on \(task.queueLabel)"
    case .anything: "anything"
    }
  }
}
