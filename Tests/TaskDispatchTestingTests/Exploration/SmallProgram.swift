import TaskDispatch
import TestSupport

@testable import TaskDispatchTesting

/// A scenario of a few tasks on both lanes, which depends only on its seed and on the order. What a task does
/// is rolled for its name, so that no task changes another by coming first.
struct SmallProgram {
  struct Torn: Error, CustomStringConvertible {
    let label: String
    var description: String { "torn by \(label)" }
  }

  let seed: Int
  /// A task that is put among the program's own and has nothing to do with them.
  enum Stranger: CaseIterable { case none, front, behind }
  var stranger = Stranger.none
  /// The priority of a stranger on the background; nil for one on the foreground.
  var priorityOfStranger: PriorityBand?

  var width: Int { 1 + seed % 3 }

  /// Runs the program, and returns what its bodies noted and what their calls answered, in order.
  func run(on dispatcher: RecordingDispatcher) throws -> [String] {
    let play = Play(dispatcher, seed: seed)
    if stranger == .front { addStranger(dispatcher) }
    play.act("", depth: 0, actions: 4)
    if stranger == .behind { addStranger(dispatcher) }
    try dispatcher.runUntilIdle()
    try dispatcher.advanceTime(by: .milliseconds(20))
    return play.log.all
  }

  private func addStranger(_ dispatcher: RecordingDispatcher) {
    if let priorityOfStranger {
      dispatcher.background.async(priority: priorityOfStranger, label: "stranger") {}
    } else {
      dispatcher.foreground.async(label: "stranger") {}
    }
  }

  private final class Play: Sendable {
    private let dispatcher: RecordingDispatcher
    private let seed: Int
    private let handles = Locked<[TaskHandle<Void>]>([])
    let log = Log()

    init(_ dispatcher: RecordingDispatcher, seed: Int) {
      self.dispatcher = dispatcher
      self.seed = seed
    }

    /// Does what the body of the task of this name does.
    func act(_ name: String, depth: Int, actions: Int) {
      let place = name.utf8.reduce(seed) { ($0 &* 31) &+ Int($1) }
      var dice = Dice(seed: place &* 7919)
      for number in 0..<actions {
        switch dice.roll(10) {
        case 0: cancel(dice.roll(4))
        case 1:
          let value = dispatcher.choose(["x", "y", "z"], "value")
          log.note("\(name) chose \(value)")
        default:
          // Two tasks may have the same label.
          let label = "\(["a", "b"][dice.roll(2)])"
          submit(label, "\(name)\(number)\(label)", depth, &dice)
        }
      }
    }

    private func submit(_ label: String, _ name: String, _ depth: Int, _ dice: inout Dice) {
      let kind = dice.roll(10)
      let priority: PriorityBand = [.high, .medium, .medium, .low][dice.roll(4)]
      let actions = depth < 2 ? dice.roll(3) : 0
      let fails = dice.once(in: 12)
      let body: @Sendable () -> Void = { [self] in
        log.note(name)
        act(name, depth: depth + 1, actions: actions)
      }
      switch kind {
      case 0..<4: dispatcher.foreground.async(label: label, body)
      case 4:
        dispatcher.foreground.after(.milliseconds(1 + dice.roll(3)), label: label, body)
      case 5:
        dispatcher.background.async(
          priority: priority, label: label, timeToLive: .milliseconds(dice.roll(3)), body)
      default:
        let handle = dispatcher.background.submit(priority: priority, label: label) {
          body()
          if fails { throw Torn(label: name) }
        }
        handles.withLock { $0.append(handle) }
      }
    }

    private func cancel(_ index: Int) {
      guard let handle = handles.withLock({ $0.indices.contains(index) ? $0[index] : nil }) else {
        return
      }
      log.note("cancel \(index): \(handle.cancel())")
    }
  }
}
