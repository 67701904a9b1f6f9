internal import Scheduling
internal import TaskDispatch

/// A simulated `DispatchQueue.main`: blocks that wait until the program's first thread runs them.
package enum MainQueue {
  /// One thread runs at a time.
  private final class State: @unchecked Sendable {
    var blocks: [@Sendable () -> Void] = []
    var isReadable = false
    var isRunning = false
    var run = -1
  }

  private static let place = SimulatedPlace(#fileID, #line)
  private static let shared = State()

  private static var state: State {
    if shared.run != Simulation.shared.run {
      (shared.blocks, shared.isReadable, shared.isRunning) = ([], false, false)
      shared.run = Simulation.shared.run
    }
    return shared
  }

  static var isOnItsThread: Bool { Simulation.shared.currentName == "main" }

  static func prepare() throws(UVError) {}

  /// Sends a block. Any thread.
  package static func post(_ block: @escaping @Sendable () -> Void) {
    Simulation.shared.point(.store, place, "a block of the main queue")
    state.blocks.append(block)
    state.isReadable = true
    Simulation.shared.wakeAll(at: EventLoop.place)
  }

  /// How many blocks wait.
  package static var count: Int { state.blocks.count }

  /// Whether a loop that serves the queue from now on notices that blocks wait.
  package static var isReadable: Bool { state.isReadable }

  static func takeWake() -> Bool {
    Simulation.shared.point(.load, place, "a look at the main queue")
    defer { state.isReadable = false }
    return state.isReadable
  }

  static func giveBackWake() {
    Simulation.shared.point(.store, place, "the main queue is given back")
    state.isReadable = true
  }

  final class Probe: @unchecked Sendable {
    private(set) var hasRun = false

    init() { MainQueue.post { [self] in hasRun = true } }
  }

  static func runAll() {
    guard !state.isRunning else { return }
    state.isRunning = true
    while !state.blocks.isEmpty {
      let block = state.blocks.removeFirst()
      block()
      Simulation.shared.point(.load, place, "the next block of the main queue")
    }
    state.isRunning = false
  }
}
