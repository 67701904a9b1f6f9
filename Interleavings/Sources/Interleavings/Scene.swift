import Scheduling
import TaskDispatch
import UVDispatch

/// What a program is made of: dispatchers, threads, and bodies that are counted.
///
/// At the end of a program, everything that it has begun must have come about: see ``end()``.
final class Scene: @unchecked Sendable {
  // One thread runs at a time.
  private var dispatchers: [UVDispatcher] = []
  private var leftovers: [Weak] = []
  private var mustEndAlone = false
  private var expected: [String: Expectation] = [:]

  private struct Weak {
    weak var dispatcher: UVDispatcher?
  }

  private struct Expectation {
    /// How often the body must have run. Nil while that is not known.
    var times: Int? = 1
    var ran = 0
  }

  var simulation: Simulation { .shared }

  // MARK: Parts

  /// Makes a dispatcher. What that does is tried in one order only.
  ///
  /// - Parameter starts: Whether a thread of its own runs the loop. It sleeps when this returns.
  func dispatcher(
    width: Int = 2, starts: Bool = false, overflow: Overflow = .unbounded,
    stallThresholds: StallThresholds = StallThresholds()
  ) -> UVDispatcher {
    simulation.quietly {
      do {
        let dispatcher = try UVDispatcher(
          .init(backgroundWidth: width, overflow: overflow, stallThresholds: stallThresholds))
        dispatcher.checkInvariants()
        dispatchers.append(dispatcher)
        leftovers.append(Weak(dispatcher: dispatcher))
        if starts {
          try dispatcher.start()
          simulation.quiesce()
        }
        return dispatcher
      } catch { fatalError("no dispatcher: \(error)") }
    }
  }

  func thread(_ name: String, _ body: @escaping @Sendable () -> Void) {
    simulation.spawn(named: name, body)
  }

  /// A body that must run once.
  func body(_ name: String, _ body: @escaping @Sendable () -> Void = {}) -> @Sendable () -> Void {
    precondition(expected[name] == nil, "two bodies are called \(name)")
    expected[name] = Expectation()
    return { [self] in
      expected[name]!.ran += 1
      body()
    }
  }

  /// Submits a body to `queue`. When this returns, the body waits at the gate.
  func occupy(_ queue: TaskQueue, _ name: String = "first") -> Gate {
    let (isInside, gate) = (Gate(), Gate())
    queue(
      body(name) {
        isInside.open()
        gate.wait()
      })
    isInside.wait()
    return gate
  }

  /// Whether the body has to run is not known yet.
  func leaveOpen(_ name: String) { expected[name]!.times = nil }

  /// The body has to run as often as `admission` says: once, or never.
  func expect(_ name: String, _ admission: Admission) {
    expected[name]!.times = admission == .accepted ? 1 : 0
  }

  /// The body must not run if the task was cancelled before its start.
  func expect(_ name: String, _ cancellation: Cancellation) {
    expected[name]!.times = cancellation == .beforeStart ? 0 : 1
  }

  /// The body has run if the task has completed, and else not.
  func expect(_ name: String, _ outcome: Outcome?) {
    guard let outcome else { return simulation.fail("\(name) has no outcome") }
    if case .completed = outcome { expected[name]!.times = 1 } else { expected[name]!.times = 0 }
  }

  /// Lets virtual time pass.
  func sleep(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let end = simulation.now + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    simulation.sleep(at: SimulatedPlace(#fileID, #line), freeing: nil, until: end)
  }

  func ran(_ name: String) -> Int { expected[name]!.ran }

  /// Ends the run with a failure unless `holds`.
  func check(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { simulation.fail(message()) }
  }

  // MARK: The end

  /// All threads must end by themselves: nothing is asked of the dispatchers before they have.
  func endsAlone() { mustEndAlone = true }

  /// Lets everything run that can, and checks that each body has run as often as it must. Then ends the dispatchers, and
  /// checks their ledgers.
  func end() {
    simulation.quiesce()
    checkBodies(of: "all stands still")
    let others = simulation.otherThreads
    if mustEndAlone, !others.isEmpty {
      simulation.fail("all stands still, and a thread has not ended: \(others)")
    }
    simulation.quietly {
      for dispatcher in dispatchers {
        dispatcher.beginShutdown(ShutdownPolicy())
        simulation.quiesce()
        let ledger = dispatcher.ledger
        check(ledger.balances, "the ledger does not balance: \(ledger)")
        check(ledger.running == 0, "something still runs: \(ledger)")
        check(ledger.waiting == 0, "something still waits: \(ledger)")
      }
      dispatchers = []
    }
    checkBodies(of: "after the end")
  }

  private func checkBodies(of moment: String) {
    for (name, expectation) in expected.sorted(by: { $0.key < $1.key }) {
      guard let times = expectation.times, expectation.ran != times else { continue }
      let others = simulation.otherThreads
      simulation.fail(
        "\(moment), and the body \(name) has run \(expectation.ran) times instead of \(times)"
          + (others.isEmpty ? "" : "; \(others)"))
    }
  }

  /// What is still alive once all threads have ended.
  var remains: String? {
    let count = leftovers.count { $0.dispatcher != nil }
    return count == 0 ? nil : "\(count) dispatchers are never released"
  }
}

/// A gate that bodies wait at.
final class Gate: @unchecked Sendable {
  private let place = SimulatedPlace(#fileID, #line)
  private var isOpen = false

  func open() {
    Simulation.shared.point(.store, place, "the gate opens")
    isOpen = true
    Simulation.shared.wakeAll(at: place)
  }

  func wait() {
    Simulation.shared.point(.load, place, "at the gate")
    while !isOpen { Simulation.shared.sleep(at: place, freeing: nil, until: nil) }
  }
}

/// A value that bodies change.
final class Box<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
