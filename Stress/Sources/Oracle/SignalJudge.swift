internal import Synchronization

/// Watches what one handler of a signal, or one sequence, is told.
///
/// A signal that a thread raises for itself has run its handler when the call returns. So what had
/// returned before a registration began is not told in it, and what begins when that has returned is:
/// where nobody raises meanwhile, the number is known exactly.
public final class SignalJudge: Sendable {
  private let raises: Raises
  private let isCounted: Bool
  public let calls: HandlerJudge
  /// How many had certainly come before it was registered.
  private let before: Int
  /// How many may have come before it was; nobody knows until the registration has returned.
  private let beforeAtMost = Atomic(Int.max)
  private let told = Atomic(0)

  /// The registration begins now.
  ///
  /// - Parameter isCounted: Whether each of `raises` is a delivery of its own, and not merged or on its
  ///   way when it was counted. If not, all that ever came may be told here.
  public init(_ raises: Raises, isCounted: Bool = true, name: String, court: Court) {
    self.raises = raises
    self.isCounted = isCounted
    calls = HandlerJudge(name, court: court)
    before = isCounted ? raises.least : 0
  }

  /// It has returned.
  public func registered() { beforeAtMost.store(raises.most, ordering: .sequentiallyConsistent) }

  /// A call of the handler, or an element of the sequence.
  public func told(_ deliveries: Int) {
    let all = told.wrappingAdd(deliveries, ordering: .sequentiallyConsistent).newValue
    if deliveries < 1 { report("was told of \(deliveries) deliveries") }
    let most = raises.most - before
    if all > most { report("was told of \(all) deliveries, and there were \(most) at most") }
  }

  /// Whether it has been told at least once of what came, where one that came is told soon: for those
  /// that are not counted.
  public var isHeard: Bool {
    let had = beforeAtMost.load(ordering: .sequentiallyConsistent)
    return !calls.isKept || raises.least <= had || told.load(ordering: .sequentiallyConsistent) > 0
  }

  /// Everything that had come is told by now, if nobody has cancelled it.
  ///
  /// - Parameter least: What ``Raises/least`` was when the dispatcher had not yet been told to end.
  public func judgeEnd(_ least: Int) {
    let had = beforeAtMost.load(ordering: .sequentiallyConsistent)
    guard isCounted, calls.isKept, least > had else { return }
    let all = told.load(ordering: .sequentiallyConsistent)
    if all < least - had {
      report("was told of \(all) deliveries, and there were \(least - had) at least")
    }
  }

  private func report(_ text: String) { calls.court.report(.events, nil, "\(calls.name) \(text)") }
}
