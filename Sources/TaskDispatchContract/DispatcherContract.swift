internal import TaskDispatch
internal import TaskDispatchTesting

/// The rules of ``TaskDispatch/TaskDispatcher`` in runnable form, for authors of dispatchers.
///
/// Make a ``ContractSubject`` that makes your dispatcher and drives it, and run every rule on it:
///
/// ```swift
/// @Test(arguments: DispatcherContract.rules(for: MySubject()))
/// func keeps(_ rule: DispatcherContract.Rule) throws { try rule.check(MySubject()) }
/// ```
///
/// Each check makes a dispatcher of its own, so checks can run in any order and in parallel. No verdict depends on the
/// speed of the machine. No check sleeps, gates hold the workers, and where time matters only "not before" is checked.
public enum DispatcherContract {
  /// Every check of every rule, in the order of the rules.
  ///
  /// Some checks need what not every dispatcher has. ``rules(for:)`` leaves those out.
  public static let rules: [Rule] = [
    later, once, outcomes, accounts, groups, limits, inOrder, whileWaiting, alone, whereAmI,
    noHeadOfLine, barriers, priority, aging, time, catchingUp, repeating, cancelling,
    cancellingTimers,
    independence, fairness, goodCitizen, shutdown, draining, shutdownDeadlines, deadlocks, waits,
    waitsForTimers,
    lifetime, events, telling,
  ].flatMap { $0 }

  /// The checks that `subject` can be put to.
  public static func rules(for subject: some ContractSubject) -> [Rule] {
    rules.filter { $0.needs.isSubset(of: subject.provides) }
  }

  /// The contract's titles of the rules, by number: `Later` for 1.
  static let titles: [Int: String] = [
    1: "Later", 2: "Once", 3: "In order", 4: "Alone", 5: "No head of line", 6: "Barrier",
    7: "Priority", 8: "Time", 9: "Cancel", 10: "Independence", 11: "Fairness",
    12: "Good citizen", 13: "Shutdown", 14: "No deadlock by surprise", 17: "Lifetime", 19: "Events",
    20: "Telling",
  ]
}

extension DispatcherContract {
  /// What a check may need of a subject beyond the contract itself.
  public struct Provisions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bodies run on threads of their own, several at a time. Without this, everything runs on the thread that drives
    /// the subject.
    public static let threads = Provisions(rawValue: 1)
    /// The pool has other users; ``ContractSubject/usePool(of:_:)`` is one.
    public static let sharedPool = Provisions(rawValue: 2)
    /// The dispatcher is an `EventDispatcher`, and the subject can make events happen.
    public static let events = Provisions(rawValue: 4)
  }

  /// One check of one rule.
  public struct Rule: Sendable {
    /// The rule's number in the contract.
    public let number: Int
    /// What the check shows, as a sentence.
    public let name: String
    /// What a subject must provide for it.
    public let needs: Provisions

    let configuration: ContractConfiguration
    /// Whether the dispatcher gets an observer. Without one, it may take a shorter way.
    let isObserved: Bool
    let body: @Sendable (Scene) throws -> Void

    init(
      _ number: Int, _ name: String, width: Int = 3, overflow: Overflow = .unbounded,
      agingStep: Duration = .seconds(3600), needs: Provisions = [], isObserved: Bool = true,
      _ body: @escaping @Sendable (Scene) throws -> Void
    ) {
      self.number = number
      self.name = name
      self.needs = needs
      self.isObserved = isObserved
      self.body = body
      configuration = ContractConfiguration(
        width: width, overflow: overflow, agingStep: agingStep)
    }

    /// This check, with a dispatcher that has no observer.
    var unobserved: Rule {
      Rule(
        number, "\(name), unobserved", width: configuration.width,
        overflow: configuration.overflow, agingStep: configuration.agingStep, needs: needs,
        isObserved: false, body)
    }

    /// The contract's title of the rule: `Later` for 1.
    public var title: String { DispatcherContract.titles[number] ?? "Rule \(number)" }

    /// Whether only a dispatcher with threads can show it.
    public var needsThreads: Bool { needs.contains(.threads) }

    /// Puts a new dispatcher of `subject` to this check, on the calling thread.
    ///
    /// Traps if `subject` does not provide what the check ``needs``.
    ///
    /// - Throws: The first broken expectation. The dispatcher has been finished even then.
    public func check(_ subject: some ContractSubject) throws(ContractViolation) {
      require(
        needs.isSubset(of: subject.provides),
        "\(type(of: subject)) cannot be put to \"\(self)\"; take rules(for:)")
      let scene = try Scene.make(for: self, subject)
      try scene.play(body)
    }
  }
}

extension DispatcherContract.Rule: CustomStringConvertible {
  /// `9 Cancel: a body that has not started never runs`.
  public var description: String { "\(number) \(title): \(name)" }
}
