import TaskDispatch
import TestSupport

@testable import TaskDispatchTesting

/// A few tasks that affect each other in every way that a dispatcher allows, and in no other way beyond what
/// their labels declare.
struct DeclaredProgram {
  let seed: Int

  func explored(reduced: Bool) throws -> Exploration<[String: [String]]> {
    let resources = reduced ? ReductionTests.declared : nil
    return try explore(
      .exhaustive, configuration: .init(width: 1 + seed % 3, leftovers: .ignore),
      budget: .init(schedules: 300, replays: 1, timersAhead: 1), failures: .collected,
      resources: resources
    ) { dispatcher -> [String: [String]] in
      let play = Play(dispatcher, seed: seed)
      for number in 0..<(3 + seed % 2) { play.submit("\(number)", depth: 0) }
      try dispatcher.runUntilIdle()
      try dispatcher.advanceTime(by: .milliseconds(5))
      return play.notes.all
    }
  }

  private final class Play: Sendable {
    let notes = ReductionTests.Notes()
    private let dispatcher: RecordingDispatcher
    private let views: [TaskQueue]
    private let group = WorkGroup()
    private let seed: Int
    private let handles = Locked<[TaskHandle<Void>]>([])

    init(_ dispatcher: RecordingDispatcher, seed: Int) {
      self.dispatcher = dispatcher
      self.seed = seed
      views = [1, 2].map { dispatcher.makeQueue(label: "view \($0)", width: $0) }
    }

    func submit(_ name: String, depth: Int) {
      // Seeded by the name, so that the order of the submissions does not change what a task does.
      var dice = Dice(seed: name.utf8.reduce(seed &* 7919) { $0 &* 31 &+ Int($1) })
      let resources = ["a", "b", "c", "ab", "bc", "?"][dice.roll(6)]
      let label = "\(resources) \(name)"
      let children = depth < 1 ? dice.roll(2) : 0
      let deed = dice.roll(12)
      let body: @Sendable () -> Void = { [self] in
        notes.note(label)
        for child in 0..<children { submit("\(name).\(child)", depth: depth + 1) }
        // The body affects other tasks only through the dispatcher, and notes only under its own resources.
        switch deed {
        case 0: handles.withLock { $0.first }?.cancel()
        case 1: views[0].suspend()
        case 3: notes.note("\(label) \(dispatcher.choose([1, 2], name))")
        case 4: group.notify(on: dispatcher.foreground) { [self] in notes.note("? empty \(name)") }
        default: break
        }
        if deed == 1 { views[0].resume() }
      }
      switch dice.roll(10) {
      case 0, 1, 2: dispatcher.foreground.async(label: label, body)
      case 3: views[0].async(label: label, body)
      case 4: views[1].async(label: label, body)
      case 5:
        dispatcher.background.async(
          priority: seed.isMultiple(of: 2) ? .high : .low, label: label, body)
      case 6: dispatcher.foreground.after(.milliseconds(1), label: label, body)
      case 7: dispatcher.background.async(label: label, group: group, body)
      default:
        let handle = dispatcher.background.submit(label: label, body)
        handles.withLock { $0.append(handle) }
      }
    }
  }
}
