internal import Synchronization

/// Checks what one handler of a signal, or one sequence of its deliveries, is told.
///
/// A thread that raises a signal for itself has run the handler when the call returns. So a
/// registration is told of no signal whose call had returned before it began, and of every signal whose
/// call began after it had returned. If no thread raises the signal during the registration, the number
/// is known exactly.
public final class SignalChecker: Sendable {
  private let raises: Raises
  private let isCounted: Bool
  public let calls: HandlerChecker
  /// How many signals had certainly arrived before the registration.
  private let before: Int
  /// How many signals may have arrived before the registration; not known until the registration has
  /// returned.
  private let beforeAtMost = Atomic(Int.max)
  private let told = Atomic(0)

  /// The registration begins now.
  ///
  /// - Parameter isCounted: Whether each of `raises` is a delivery of its own that has arrived when it
  ///   was counted. If not, signals may be merged or still be on their way, and all that were ever
  ///   raised may be told here.
  public init(_ raises: Raises, isCounted: Bool = true, name: String, violations: ViolationLog) {
    self.raises = raises
    self.isCounted = isCounted
    calls = HandlerChecker(name, violations: violations)
    before = isCounted ? raises.least : 0
  }

  /// The registration has returned.
  public func registered() { beforeAtMost.store(raises.most, ordering: .sequentiallyConsistent) }

  /// The handler was called, or the sequence gave an element.
  public func told(_ deliveries: Int) {
    let all = told.wrappingAdd(deliveries, ordering: .sequentiallyConsistent).newValue
    if deliveries < 1 { report("was told of \(deliveries) deliveries") }
    let most = raises.most - before
    if all > most { report("was told of \(all) deliveries, and there were \(most) at most") }
  }

  /// Whether the handler was told at least once of a signal that was raised after its registration, or
  /// need not be. For signals that are not counted: the system delivers those soon.
  public var isHeard: Bool {
    let had = beforeAtMost.load(ordering: .sequentiallyConsistent)
    return !calls.isKept || raises.least <= had || told.load(ordering: .sequentiallyConsistent) > 0
  }

  /// Checks that every signal that had arrived was told, unless the handler was cancelled.
  ///
  /// - Parameter least: The value of ``Raises/least`` before the dispatcher was shut down.
  public func checkEnd(_ least: Int) {
    let had = beforeAtMost.load(ordering: .sequentiallyConsistent)
    guard isCounted, calls.isKept, least > had else { return }
    let all = told.load(ordering: .sequentiallyConsistent)
    if all < least - had {
      report("was told of \(all) deliveries, and there were \(least - had) at least")
    }
  }

  private func report(_ text: String) {
    calls.violations.report(.events, nil, "\(calls.name) \(text)")
  }
}
