/// Puts a state together by hand, for tests of the checker.
struct WaitStateBuilder {
  private(set) var state: WaitState { didSet { earlier.append(oldValue) } }
  /// The state before each step so far, the last one last.
  private var earlier: [WaitState] = []
  private var numbers = 0

  init(workers: Int, threads: Int? = nil, views: [Int] = [], groups: Int = 0) {
    state = WaitState(workers: workers, threads: threads, views: views, groups: groups)
  }

  /// The record, as the stage would have it.
  var record: Stage.Record { Stage.Record(state: state, earlier: earlier) }

  private mutating func number() -> Int {
    numbers += 1
    return numbers
  }

  /// A body runs: on the loop if its queue is the foreground, else on a worker of its own.
  ///
  /// - Returns: The number of its frame.
  @discardableResult
  mutating func run(
    _ task: Int, on queue: Int, isBarrier: Bool = false, onStackOf other: Int? = nil
  ) -> Int {
    let number = number()
    let own: WaitState.Place =
      queue == WaitProgram.foreground ? .loop : .worker(UInt(number))
    let place = other.flatMap { state.context($0)?.place } ?? own
    state.contexts.append(
      .init(
        number: number, place: place, work: .task(task), queue: queue, isBarrier: isBarrier,
        activity: .held))
    return number
  }

  /// A callback runs in no task.
  mutating func callBack(on place: WaitState.Place) -> Int {
    let number = number()
    state.contexts.append(
      .init(number: number, place: place, work: .callback(number), activity: .held))
    return number
  }

  mutating func addOutsider() -> Int {
    let number = number()
    state.contexts.append(
      .init(number: number, place: .outside(number), work: .outsider(number), activity: .held))
    return number
  }

  /// A task waits in its queue.
  mutating func queue(_ task: Int, on queue: Int, isBarrier: Bool = false) {
    state.queues[queue].items.append(.init(content: .task(task), isBarrier: isBarrier))
  }

  /// A frame calls `sync`, and stands behind what its queue holds.
  mutating func sync(_ context: Int, on queue: Int, isBarrier: Bool = false) {
    let ticket = number()
    state.queues[queue].items.append(
      .init(content: .caller(context: context, ticket: ticket), isBarrier: isBarrier))
    wait(context, for: .sync(queue: queue, ticket: ticket))
  }

  /// The body of the frame's `sync` begins, if need be before what stands before it in the queue.
  mutating func beginSync(_ context: Int) {
    guard let caller = state.context(context),
      case .waiting(.sync(let queue, let ticket), _) = caller.activity
    else { return }
    state.queues[queue].items.removeAll {
      $0.content == .caller(context: context, ticket: ticket)
    }
    state.contexts.append(
      .init(
        number: number(), place: queue == WaitProgram.foreground ? .loop : caller.place,
        work: .syncBody(ticket), queue: queue,
        activity: .held))
  }

  mutating func wait(_ context: Int, for target: WaitState.Target, isTimed: Bool = false) {
    let index = state.index(ofFrame: context)!
    state.contexts[index].activity = .waiting(target, isTimed: isTimed)
  }

  mutating func waitForGroup(_ context: Int, _ group: Int) {
    wait(context, for: .group(group, round: state.groups[group].round))
  }

  mutating func addMember(_ task: Int, of group: Int) {
    state.groups[group].members.append(task)
  }

  mutating func enter(_ group: Int) { state.groups[group].handEntries += 1 }

  mutating func suspend(_ queue: Int) { state.queues[queue].suspensions += 1 }

  mutating func startTimer(_ task: Int, on queue: Int, isBarrier: Bool = false) {
    state.timers.append(.init(task: task, queue: queue, isBarrier: isBarrier))
  }

  /// The body of a timer of the foreground begins.
  mutating func runTimer(_ task: Int) {
    let number = number()
    state.timers.removeAll { $0.task == task }
    state.contexts.append(
      .init(
        number: number, place: .loop, work: .task(task), queue: WaitProgram.foreground,
        activity: .held))
  }
}
