/// The pieces of user code that one thread is in, the outermost first. That thread changes it, any
/// thread reads it.
public final class Stand: Sendable {
  /// What a thread is for.
  public enum Role: Sendable {
    case unknown
    /// Submits, and belongs to no dispatcher.
    case own
    /// Keeps promises that other threads rely on.
    case janitor
    /// Runs no user code at all.
    case silent
    case loop, worker, cooperative
  }

  private struct State {
    var places: [Place] = []
    var role = Role.unknown
    /// When this thread was last seen outside the library.
    var lastSeen: Int64 = 0
    /// How many locks of Swift's runtime the thread holds. It must not wait for ever while it holds
    /// one.
    var runtimeLocks = 0
  }

  private let state = Locked(State())

  init() {}

  public var role: Role {
    get { state.withLock { $0.role } }
    set { state.withLock { $0.role = newValue } }
  }

  public var depth: Int { state.withLock { $0.places.count } }
  public var top: Place? { state.withLock { $0.places.last } }
  public var places: [Place] { state.withLock { $0.places } }
  public var lastSeen: Int64 { state.withLock { $0.lastSeen } }
  public var isUnderRuntimeLock: Bool { state.withLock { $0.runtimeLocks > 0 } }

  /// User code begins.
  ///
  /// - Returns: Whether it is the outermost piece of user code of the thread.
  @discardableResult
  public func enter(_ kind: Place.Kind, _ mark: Int, _ standing: Standing) -> Bool {
    let now = monotonicNanoseconds()
    return state.withLock { state in
      // This is a dispatcher's thread that has no role yet. It is not the loop's, which sets its role
      // first.
      if state.places.isEmpty, state.role == .unknown {
        state.role = kind == .task ? .cooperative : .worker
      }
      state.places.append(
        Place(
          kind: kind, mark: mark, standing: standing, since: now, seenBefore: state.lastSeen))
      state.lastSeen = now
      return state.places.count == 1
    }
  }

  /// User code ends.
  ///
  /// - Returns: Whether it was the outermost piece of user code of the thread.
  @discardableResult
  public func leave() -> Bool {
    let now = monotonicNanoseconds()
    return state.withLock { state in
      let place = state.places.removeLast()
      // The observer is told of a start after the start and before the body's first instruction. So a
      // call of the observer says nothing about what its thread had started.
      state.lastSeen = place.kind == .observer ? place.seenBefore : now
      return state.places.isEmpty
    }
  }

  /// Calls `body`, which calls the library.
  public func call<Result>(
    _ name: @autoclosure () -> String, holdsRuntimeLock: Bool = false, _ body: () throws -> Result
  ) rethrows -> Result {
    let name = name()
    let now = monotonicNanoseconds()
    let outer = state.withLock { state -> (String?, Int64)? in
      state.lastSeen = now
      if holdsRuntimeLock { state.runtimeLocks += 1 }
      guard let last = state.places.indices.last else { return nil }
      let outer = (state.places[last].call, state.places[last].callSince)
      state.places[last].call = name
      state.places[last].callSince = now
      return outer
    }
    defer {
      let now = monotonicNanoseconds()
      state.withLock { state in
        state.lastSeen = now
        if holdsRuntimeLock { state.runtimeLocks -= 1 }
        if let outer, let last = state.places.indices.last {
          (state.places[last].call, state.places[last].callSince) = outer
        }
      }
    }
    return try body()
  }

  /// The call of the library that has lasted longest, and since when.
  public var longestCall: (name: String, since: Int64)? {
    state.withLock { state in
      state.places.compactMap { place in place.call.map { ($0, place.callSince) } }
        .min { $0.1 < $1.1 }
    }
  }

  /// The user code that the thread is in, for people.
  ///
  /// - Parameter name: Gives the name for a mark.
  public func description(_ name: (Int) -> String) -> String {
    let now = monotonicNanoseconds()
    let (places, role) = state.withLock { ($0.places, $0.role) }
    let lines = places.map { place in
      let call =
        place.call.map { ", calls \($0) for \((now - place.callSince) / 1_000_000) ms" } ?? ""
      return "\(place.kind.rawValue)\(place.mark > 0 ? " of \(name(place.mark))" : "") "
        + "[\(place.standing)]\(call)"
    }
    return "\(role): " + lines.joined(separator: " > ")
  }
}
