extension WaitProgram: CustomStringConvertible {
  /// The program as pseudo code.
  var description: String {
    let views = views.enumerated().map { "v\($0) of width \($1)" }.joined(separator: ", ")
    var lines = ["program \(seed): \(workers) workers; views: \(views); groups: \(groups)"]
    for (number, body) in bodies.enumerated() where isUsed(number) {
      let queue = Self.name(ofQueue: body.queue) + (body.isBarrier ? ".barrier" : "")
      let group = body.group.map { " in g\($0)" } ?? ""
      lines.append("t\(number) on \(queue)\(group)\(body.hasHandle ? "" : ", without a handle"):")
      lines += Self.lines(body.script, 1)
    }
    for (number, script) in outsiders.enumerated() {
      lines.append("outside thread \(number):")
      lines += Self.lines(script, 1)
    }
    return lines.joined(separator: "\n")
  }

  private func isUsed(_ body: Int) -> Bool {
    (bodies.map(\.script) + outsiders).contains { Self.submits(body, in: $0) }
  }

  private static func submits(_ body: Int, in script: [WaitStep]) -> Bool {
    script.contains { step in
      switch step {
      case .submit(body), .startTimer(body, _): true
      default: step.inner.map { submits(body, in: $0) } ?? false
      }
    }
  }

  private static func lines(_ script: [WaitStep], _ depth: Int) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    if script.isEmpty { return [indent + "(ends)"] }
    return script.flatMap { step in
      guard let inner = step.inner else { return [indent + step.description] }
      return [indent + step.description + " {"] + lines(inner, depth + 1) + [indent + "}"]
    }
  }
}

extension WaitStep: CustomStringConvertible {
  /// The step without the script inside it.
  var description: String {
    switch self {
    case .sync(let queue, let isBarrier, _):
      "\(WaitProgram.name(ofQueue: queue))\(isBarrier ? ".barrier" : "").sync"
    case .waitForTask(let task, let isTimed): "t\(task).wait(\(isTimed ? "timeout" : ""))"
    case .waitForGroup(let group, let isTimed): "g\(group).wait(\(isTimed ? "timeout" : ""))"
    case .submit(let task): "submit t\(task)"
    case .startTimer(let task, let milliseconds): "start t\(task) after \(milliseconds) ms"
    case .suspend(let queue): "\(WaitProgram.name(ofQueue: queue)).suspend()"
    case .resume(let queue): "\(WaitProgram.name(ofQueue: queue)).resume()"
    case .enter(let group): "g\(group).enter()"
    case .leave(let group): "g\(group).leave()"
    case .whenEmpty(let group, _): "g\(group).whenEmpty"
    case .whenEnded(let task, _): "when t\(task) has ended"
    }
  }
}
