import Scheduling
import UVDispatch

/// A small program that is tried in many orders.
struct Program: Sendable {
  let name: String
  /// What meets in it.
  let about: String
  /// How many threads it has, without the workers.
  let threads: Int
  /// How many calls of the library it makes.
  let calls: Int
  /// The program itself is chosen anew in each run. A search would try one alone.
  let isGenerated: Bool
  let body: @Sendable (Scene) -> Void

  init(
    _ name: String, _ about: String, threads: Int, calls: Int, isGenerated: Bool = false,
    _ body: @escaping @Sendable (Scene) -> Void
  ) {
    self.name = name
    self.about = about
    self.threads = threads
    self.calls = calls
    self.isGenerated = isGenerated
    self.body = body
  }

  /// Runs it once.
  func run(_ chooser: Chooser) -> Simulation.Run {
    UVDispatcher.forgetFormerRun()
    let scene = Scene()
    var run = Simulation.shared.run(chooser) {
      body(scene)
      scene.end()
    }
    if run.failure == nil, let remains = scene.remains { run.failure = remains }
    return run
  }

  static let all: [Program] =
    posting + limits + stalls + snapshots + views + waiting + telling + slowCallbacks + ending
    + mainQueue + jobs
    + rareCalls
    + timersAndDeadlines + generated
}
