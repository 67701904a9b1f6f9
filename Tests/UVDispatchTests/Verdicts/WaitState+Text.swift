extension WaitState: CustomStringConvertible {
  func name(of context: Frame) -> String {
    switch context.work {
    case .task(let task): "t\(task)"
    case .syncBody(let ticket): "the body of sync #\(ticket)"
    case .callback(let callback): "callback \(callback)"
    case .outsider(let outsider): "outside thread \(outsider)"
    }
  }

  func name(ofFrame number: Int) -> String {
    context(number).map(name) ?? "a body that has ended"
  }

  func name(of target: Target) -> String {
    switch target {
    case .sync(let queue, let ticket): "sync #\(ticket) on \(WaitProgram.name(ofQueue: queue))"
    case .task(let task): "t\(task)"
    case .group(let group, _): "g\(group)"
    }
  }

  private func text(_ place: Place) -> String {
    switch place {
    case .loop: "the loop"
    case .worker(let id): "worker \(String(id, radix: 16).suffix(7))"
    case .outside(let outsider): "outside thread \(outsider)"
    }
  }

  private func text(_ context: Frame) -> String {
    let activity =
      switch context.activity {
      case .moving: isOnTop(context) ? "goes on" : "called what stands above it"
      case .held: "at a gate"
      case .waiting(let target, let isTimed):
        "waits for \(name(of: target))\(isTimed ? ", with a time-out" : "")"
      }
    let queue = context.queue.map { " [\(WaitProgram.name(ofQueue: $0))]" } ?? ""
    return "\(name(of: context))\(queue)\(context.isBarrier ? " (barrier)" : ""): \(activity)"
  }

  private func text(_ item: Item) -> String {
    let barrier = item.isBarrier ? " (barrier)" : ""
    return switch item.content {
    case .task(let task): "t\(task)\(barrier)"
    case .caller(let context, let ticket): "sync #\(ticket) of \(name(ofFrame: context))\(barrier)"
    }
  }

  /// The threads with their stacks, the oldest frame first; the queues, groups and timers.
  var description: String {
    var lines: [String] = ["workers: \(busyWorkers) of \(workers) are busy, of \(threads) threads"]
    for top in tops {
      let stack = contexts.filter { $0.place == top.place }.map(text)
      lines.append("\(text(top.place)): \(stack.joined(separator: " > "))")
    }
    for (number, queue) in queues.enumerated() where !queue.items.isEmpty || queue.suspensions > 0 {
      let held = queue.suspensions > 0 ? ", suspended" : ""
      let items = queue.items.map(text).joined(separator: ", ")
      lines.append(
        "\(WaitProgram.name(ofQueue: number)) of width \(queue.width)\(held): [\(items)]")
    }
    for (number, group) in groups.enumerated() where !group.isEmpty {
      let members = group.members.map { "t\($0)" } + (group.handEntries > 0 ? ["by hand"] : [])
      lines.append("g\(number): \(members.joined(separator: ", "))")
    }
    for timer in timers {
      lines.append("timer: t\(timer.task) on \(WaitProgram.name(ofQueue: timer.queue))")
    }
    if !dueCallbacks.isEmpty { lines.append("callbacks due: \(dueCallbacks.sorted())") }
    return lines.map { "  " + $0 }.joined(separator: "\n")
  }
}
