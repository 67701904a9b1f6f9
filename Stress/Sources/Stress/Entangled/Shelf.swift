import Oracle
import TaskDispatch

/// The handles that any code may take. Their number is fixed: each new handle takes the place of
/// another.
final class Shelf: Sendable {
  struct Kept: Sendable {
    enum Handle: Sendable {
      case task(TaskHandle<Token>)
      case timer(TimerHandle)
    }

    let ticket: Ticket
    let mark: Int
    let handle: Handle

    var cancel: () -> Cancellation {
      switch handle {
      case .task(let handle): { handle.cancel() }
      case .timer(let handle): { handle.cancel() }
      }
    }
  }

  private let places: Locked<[Kept?]>

  init(size: Int) { places = Locked(Array(repeating: nil, count: size)) }

  /// - Returns: The handle that stood there. The caller releases it, which may run user code.
  func put(_ kept: Kept?, at number: Int) -> Kept? {
    places.withLock { places in
      let place = number % places.count
      defer { places[place] = kept }
      return places[place]
    }
  }

  func look(at number: Int) -> Kept? { places.withLock { $0[number % $0.count] } }

  /// A handle that code can wait for.
  func task(at number: Int) -> (Kept, TaskHandle<Token>)? {
    guard let kept = look(at: number), case .task(let handle) = kept.handle else { return nil }
    return (kept, handle)
  }

  /// - Returns: All handles.
  func empty() -> [Kept] {
    places.withLock { places in
      defer { places = Array(repeating: nil, count: places.count) }
      return places.compactMap { $0 }
    }
  }
}
