internal import TaskDispatch

/// A note of the schedule that is running, for the next process that runs the same exploration.
///
/// A trap in a body ends the process, which can report nothing then.
struct LastSchedule {
  private let note: MappedNote?
  private let start: Int

  /// - Parameter site: The place of the exploration.
  init(of site: CallSite) {
    note = MappedNote(named: Self.name(site))
    note?.append("\(processNumber) ")
    start = note?.count ?? 0
  }

  /// Notes the plan of the next run. Costs no system call.
  func begin(_ plan: Decisions.Plan) {
    guard let note else { return }
    note.cut(to: start)
    plan.write(to: note)
  }

  /// The schedule that was running when another process died in the exploration at `site`. Nil if none did.
  static func ofDeadProcess(_ site: CallSite) -> String? {
    guard let (process, token) = content(of: site), process != processNumber,
      !processExists(process)
    else { return nil }
    return token
  }

  /// The schedule in the note of the exploration at `site`. Nil if there is none.
  static func written(at site: CallSite) -> String? { content(of: site)?.token }

  private static func content(of site: CallSite) -> (process: Int32, token: String)? {
    guard let text = MappedNote.left(named: name(site)) else { return nil }
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let process = Int32(parts[0]), !parts[1].isEmpty else { return nil }
    return (process, String(parts[1]))
  }

  private static func name(_ site: CallSite) -> String {
    var digest = OrderDigest()
    for byte in "\(site)".utf8 { digest.add(UInt64(byte)) }
    return "schedule-\(String(digest.value, radix: 36))"
  }
}

extension Decisions.Plan {
  /// Writes the token of this plan.
  func write(to note: MappedNote) {
    switch self {
    case .deviating(let deviations):
      note.append("choices1:")
      var position: Int32 = 0
      for deviation in deviations {
        while position < deviation.position {
          note.append("0.")
          position += 1
        }
        note.append(UInt64(deviation.chosen))
        note.append(".")
        position += 1
      }
    case .exact(let choices):
      note.append("choices1:")
      for choice in choices {
        note.append(UInt64(choice))
        note.append(".")
      }
    case .repeating(let choices), .reduced(let choices, _):
      note.append("choices1:")
      for choice in choices {
        note.append(UInt64(choice.chosen))
        note.append(".")
      }
    case .random(let seed):
      note.append("random1:")
      note.append(seed)
    case .prioritized(let priorities):
      note.append("priorities1:")
      note.append(priorities.seed)
      for change in priorities.changes {
        note.append(".")
        note.append(UInt64(change))
      }
    case .facts(let facts): note.append(ScheduleToken.facts(facts.facts).text)
    case .following(let order): note.append(ScheduleToken.order(order.paths).text)
    }
  }
}
