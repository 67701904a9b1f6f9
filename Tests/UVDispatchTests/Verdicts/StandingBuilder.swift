/// Puts a standing together by hand, for tests of the judge.
struct StandingBuilder {
  private(set) var standing: Standing { didSet { earlier.append(oldValue) } }
  /// The standing before each step so far, the last one last.
  private var earlier: [Standing] = []
  private var numbers = 0

  init(workers: Int, threads: Int? = nil, views: [Int] = [], groups: Int = 0) {
    standing = Standing(workers: workers, threads: threads, views: views, groups: groups)
  }

  /// The record, as the stage would have it.
  var record: Stage.Record { Stage.Record(standing: standing, earlier: earlier) }

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
    let own: Standing.Place =
      queue == WaitProgram.foreground ? .loop : .worker(UInt(number))
    let place = other.flatMap { standing.context($0)?.place } ?? own
    standing.contexts.append(
      .init(
        number: number, place: place, work: .task(task), queue: queue, isBarrier: isBarrier,
        activity: .held))
    return number
  }

  /// A callback runs in no task.
  mutating func callBack(on place: Standing.Place) -> Int {
    let number = number()
    standing.contexts.append(
      .init(number: number, place: place, work: .callback(number), activity: .held))
    return number
  }

  mutating func addOutsider() -> Int {
    let number = number()
    standing.contexts.append(
      .init(number: number, place: .outside(number), work: .outsider(number), activity: .held))
    return number
  }

  /// A task waits in its queue.
  mutating func queue(_ task: Int, on queue: Int, isBarrier: Bool = false) {
    standing.queues[queue].items.append(.init(content: .task(task), isBarrier: isBarrier))
  }

  /// A frame calls `sync`, and stands behind what its queue holds.
  mutating func sync(_ context: Int, on queue: Int, isBarrier: Bool = false) {
    let ticket = number()
    standing.queues[queue].items.append(
      .init(content: .caller(context: context, ticket: ticket), isBarrier: isBarrier))
    wait(context, for: .sync(queue: queue, ticket: ticket))
  }

  /// The body of the frame's `sync` begins, if need be before what stands before it in the queue.
  mutating func beginSync(_ context: Int) {
    guard let caller = standing.context(context),
      case .waiting(.sync(let queue, let ticket), _) = caller.activity
    else { return }
    standing.queues[queue].items.removeAll {
      $0.content == .caller(context: context, ticket: ticket)
    }
    standing.contexts.append(
      .init(
        number: number(), place: queue == WaitProgram.foreground ? .loop : caller.place,
        work: .syncBody(ticket), queue: queue,
        activity: .held))
  }

  mutating func wait(_ context: Int, for target: Standing.Target, isTimed: Bool = false) {
    let index = standing.index(ofFrame: context)!
    standing.contexts[index].activity = .waiting(target, isTimed: isTimed)
  }

  mutating func waitForGroup(_ context: Int, _ group: Int) {
    wait(context, for: .group(group, round: standing.groups[group].round))
  }

  mutating func addMember(_ task: Int, of group: Int) {
    standing.groups[group].members.append(task)
  }

  mutating func enter(_ group: Int) { standing.groups[group].handEntries += 1 }

  mutating func suspend(_ queue: Int) { standing.queues[queue].suspensions += 1 }

  mutating func startTimer(_ task: Int, on queue: Int, isBarrier: Bool = false) {
    standing.timers.append(.init(task: task, queue: queue, isBarrier: isBarrier))
  }

  /// The body of a timer of the foreground begins.
  mutating func runTimer(_ task: Int) {
    let number = number()
    standing.timers.removeAll { $0.task == task }
    standing.contexts.append(
      .init(
        number: number, place: .loop, work: .task(task), queue: WaitProgram.foreground,
        activity: .held))
  }
}
