internal import Synchronization

/// Collects violations. It counts them by rule, and keeps the first of each rule with the history that
/// led to it.
public final class ViolationLog: Sendable {
  public struct Finding: Sendable, Codable {
    public let rule: Rule
    public var count: Int
    public let first: String
    public let history: [String]
  }

  private let findings = Locked<[Rule: Finding]>([:])
  private let count = Atomic(0)
  /// The names of the queues, for people.
  private let names = Locked<[String]>([])

  public init() {}

  public func nameQueues(_ names: [String]) { self.names.withLock { $0 = names } }

  public var hasFindings: Bool { count.load(ordering: .relaxed) > 0 }

  public var all: [Finding] {
    findings.withLock { $0.values.sorted { $0.rule.rawValue < $1.rule.rawValue } }
  }

  /// - Parameter ticket: The submission that broke the rule. The kept history is that of its queue; for
  ///   nil, that of all queues.
  public func report(_ rule: Rule, _ ticket: Ticket?, _ text: @autoclosure () -> String) {
    count.wrappingAdd(1, ordering: .relaxed)
    let isKnown = findings.withLock { findings in
      findings[rule]?.count += 1
      return findings[rule] != nil
    }
    if isKnown { return }
    let text = ticket.map { "\($0.description) on \(name(of: $0.queue)): \(text())" } ?? text()
    let history = history(of: ticket)
    findings.withLock { findings in
      if findings[rule] != nil {
        findings[rule]!.count += 1
      } else {
        findings[rule] = Finding(rule: rule, count: 1, first: text, history: history)
      }
    }
  }

  private func name(of queue: Int) -> String {
    names.withLock { queue < $0.count ? $0[queue] : "queue \(queue)" }
  }

  private func history(of ticket: Ticket?) -> [String] {
    let now = monotonicNanoseconds()
    return ThreadRecorder.entries().filter { ticket == nil || $0.queue == ticket!.queue }.suffix(40)
      .map {
        let ago = Double(now - $0.time) / 1_000
        let number = "\($0.number >> 40).\($0.number & 0xff_ffff_ffff)"
        let mark = ticket?.number == $0.number ? " <--" : ""
        return "-\(Int(ago)) us  \(name(of: $0.queue))  \(number) \($0.event)\(mark)"
      }
  }
}
