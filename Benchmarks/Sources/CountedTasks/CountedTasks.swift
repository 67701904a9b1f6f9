internal import CPeers
internal import Glibc

/// Prints one count, or runs so many tasks that another program counts.
///
/// ```
/// CountedTasks mallocs KIND             allocations a task, the closure included
/// CountedTasks submission WAY           allocations a submission, the closure included
/// CountedTasks growth KIND              bytes held, from the second to the third ten thousand tasks
/// CountedTasks wakes                    writes to an eventfd, for the task that holds the loop and a
///                                       thousand posts while it does
/// CountedTasks idle                     context switches of every thread in a second without work
/// CountedTasks leases                   uv_queue_work, for the tasks that hold three workers and a
///                                       thousand more while they do
/// CountedTasks run KIND BATCHES         nothing: for callgrind
/// ```
@main enum CountedTasks {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "mallocs": print(mallocs(try Bench(kind(arguments))))
    case "submission": print(try submission(way(arguments)))
    case "growth": print(growth(try Bench(kind(arguments))))
    case "wakes": print(try wakes())
    case "leases": print(try leases())
    case "idle": print(try idleSwitches())
    case "run":
      guard let batches = arguments.dropFirst(2).first.flatMap({ Int($0) }) else { usage() }
      try Bench(kind(arguments)).run(batches: batches)
    default: usage()
    }
    // Leaves without waiting for threads and dispatchers that are left.
    fflush(nil)
    _exit(0)
  }

  private static func kind(_ arguments: [String]) -> Kind {
    guard let kind = arguments.dropFirst().first.flatMap({ Kind(rawValue: $0) }) else { usage() }
    return kind
  }

  private static func way(_ arguments: [String]) -> Way {
    guard let way = arguments.dropFirst().first.flatMap({ Way(rawValue: $0) }) else { usage() }
    return way
  }

  private static func usage() -> Never {
    let kinds = Kind.allCases.map(\.rawValue).joined(separator: "|")
    let ways = Way.allCases.map(\.rawValue).joined(separator: "|")
    let text =
      "usage: CountedTasks mallocs KIND | submission WAY | growth KIND | wakes | leases | idle\n"
      + "       CountedTasks run KIND BATCHES\n"
      + "KIND: \(kinds)\nWAY: \(ways)\n"
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }

  /// Allocations a task, to the tenth: what a batch needs once is shared by a thousand tasks.
  private static func mallocs(_ bench: Bench) -> Double {
    bench.run(batches: 20)
    let batches = 50
    let count = Counters.during(.allocations) { bench.run(batches: batches) }
    return toTenth(count, of: batches * Bench.batch)
  }

  private static func submission(_ way: Way) throws -> Double {
    let bench = try Bench(.background)
    let count = 10_000
    var allocations = 0
    bench.whileWorkersAreHeld {
      allocations = Counters.during(.allocations) { bench.submit(count, way) { _ in } }
    }
    return toTenth(allocations, of: count)
  }

  private static func toTenth(_ allocations: Int, of count: Int) -> Double {
    (Double(allocations) / Double(count) * 10).rounded() / 10
  }

  private static func growth(_ bench: Bench) -> Int {
    bench.run(batches: 20)
    settle()
    // The least of three: a worker run that ends early or late shows once, a leak shows each time.
    let growths = (0..<3).map { _ in
      Counters.during(.heldBytes) {
        bench.run(batches: 10)
        settle()
      }
    }
    return max(0, growths.min()!)
  }

  /// Waits longer than a loop or a worker looks for work. So each count begins with all of them asleep,
  /// and what the last body left has been released.
  private static func settle() { usleep(30_000) }

  private static func wakes() throws -> Int {
    let bench = try Bench(.foreground)
    try bench.startLoop()
    bench.drain()
    settle()
    let before = Counters.value(.wakes)
    var after = before
    bench.whileLoopIsHeld {
      bench.submit(Bench.batch) { _ in }
      after = Counters.value(.wakes)
    }
    bench.drain()
    return after - before
  }

  private static func idleSwitches() throws -> Int {
    let bench = try Bench(.foreground)
    try bench.startLoop()
    bench.setFarTimer()
    bench.whileWorkersAreHeld {}
    bench.drain()
    for _ in 0..<10 { settle() }
    let before = cpeers_context_switches()
    sleep(1)
    return cpeers_context_switches() - before
  }

  private static func leases() throws -> Int {
    let bench = try Bench(.background, width: 3)
    bench.run(batches: 1)
    settle()
    let before = Counters.value(.leases)
    var after = before
    // Counted before the bodies go on: a worker run that was held for longer than its time slice gives
    // way to another.
    bench.whileWorkersAreHeld {
      bench.submit(Bench.batch) { _ in }
      after = Counters.value(.leases)
    }
    return after - before
  }
}
