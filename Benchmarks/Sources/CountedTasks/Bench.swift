internal import Dispatch
internal import UVDispatch

/// Runs tasks of one kind in batches. All tasks of a batch are submitted while none runs, so that the
/// timing of threads changes no count.
final class Bench: Sendable {
  static let batch = 1_000

  private let kind: Kind
  private let dispatcher: UVDispatcher
  private let queue: TaskQueue

  init(_ kind: Kind, width: Int = 1) throws {
    self.kind = kind
    // A budget of hours: how often an iteration reads the clock would otherwise depend on how fast the
    // machine is.
    dispatcher = try UVDispatcher(
      .init(
        backgroundWidth: width, overflow: kind.isLimited ? .reject(limit: 100_000) : .unbounded,
        loopBudget: .init(time: .seconds(10_000)),
        recorder: kind.isInspected ? RecorderOptions() : nil))
    precondition(dispatcher.effectiveBackgroundWidth == width, "the pool is too small")
    queue =
      switch kind {
      case .foreground, .foregroundHandle, .foregroundLabel, .foregroundLimited,
        .foregroundInspected:
        dispatcher.foreground
      case .sync, .view, .viewLimited, .viewInspected: dispatcher.makeQueue(label: "view", width: 1)
      case .floor, .background, .backgroundHandle, .backgroundLabel, .backgroundLimited,
        .backgroundInspected:
        dispatcher.background
      }
  }

  /// Submits and runs `count` batches. Foreground tasks run on the calling thread.
  func run(batches count: Int) {
    for _ in 0..<count {
      if kind == .floor || kind == .sync {
        submit(Self.batch) { _ in }
      } else if kind.isOnForeground {
        submit(Self.batch) { _ in }
        dispatcher.runUntilIdle()
      } else {
        let end = DispatchSemaphore(value: 0)
        whileWorkersAreHeld {
          submit(Self.batch) { number in if number == Self.batch - 1 { end.signal() } }
        }
        end.wait()
      }
    }
  }

  /// Submits while every worker is held.
  func whileWorkersAreHeld(_ body: () -> Void) {
    let gate = DispatchSemaphore(value: 0)
    let held = DispatchSemaphore(value: 0)
    let width = dispatcher.effectiveBackgroundWidth
    for _ in 0..<width {
      dispatcher.background {
        held.signal()
        gate.wait()
      }
    }
    for _ in 0..<width { held.wait() }
    body()
    for _ in 0..<width { gate.signal() }
  }

  func submit(_ count: Int, _ way: Way, _ ended: @escaping @Sendable (Int) -> Void) {
    let view = dispatcher.makeQueue(label: "view", width: 2)
    way.submit(count, to: dispatcher, view, WorkGroup(), ended)
  }

  func submit(_ count: Int, _ ended: @escaping @Sendable (Int) -> Void) {
    // One loop for each kind, so that choosing the kind is not counted as part of the tasks.
    switch kind {
    case .floor: for number in 0..<count { Kind.floor.submit(to: queue, number, ended) }
    case .foreground, .background, .view, .foregroundLimited, .backgroundLimited, .viewLimited,
      .foregroundInspected, .backgroundInspected, .viewInspected:
      for number in 0..<count { Kind.foreground.submit(to: queue, number, ended) }
    case .foregroundHandle, .backgroundHandle:
      for number in 0..<count { Kind.foregroundHandle.submit(to: queue, number, ended) }
    case .sync: for number in 0..<count { Kind.sync.submit(to: queue, number, ended) }
    case .foregroundLabel, .backgroundLabel:
      for number in 0..<count { Kind.foregroundLabel.submit(to: queue, number, ended) }
    }
  }

  func startLoop() throws { try dispatcher.start() }

  /// Holds the loop's thread while `body` submits.
  func whileLoopIsHeld(_ body: () -> Void) {
    let gate = DispatchSemaphore(value: 0)
    let held = DispatchSemaphore(value: 0)
    dispatcher.foreground {
      held.signal()
      gate.wait()
    }
    held.wait()
    body()
    gate.signal()
  }

  func drain() {
    let end = DispatchSemaphore(value: 0)
    queue { end.signal() }
    end.wait()
  }

  /// Sets a timer that no thread waits for.
  func setFarTimer() { dispatcher.background.after(.seconds(3_600)) {} }
}
