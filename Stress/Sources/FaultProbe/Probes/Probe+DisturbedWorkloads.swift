import Foundation
import UVDispatch

extension Probe {
  static let disturbedWorkloads: [Probe] = [
    disturbed("spurious-wakes", "one wait in five on a condition ends for nothing", "spurious=200"),
    disturbed("interrupted-calls", "one call in five that waits ends with EINTR", "eintr=200"),
    disturbed("full-eventfd", "every second wake-up finds the eventfd full", "full=500"),
    disturbed(
      "delayed-leases", "leases and holders of locks stand still for up to 2 ms", "delay=50"),
    disturbed("clock-jumps", "the clock goes forward by up to 2 s, again and again", "jump=20"),
    disturbed("signals", "signals interrupt every thread, again and again", nil),
    disturbed(
      "everything", "all of them at once",
      "eintr=50,spurious=50,delay=20,full=100,jump=5", withSignals: true),
  ]

  private static func disturbed(
    _ name: String, _ fault: String, _ injection: String?, withSignals: Bool = false
  ) -> Probe {
    let names = (injection ?? "").split(separator: ",").map { $0.prefix { $0 != "=" } }
    return Probe(
      name: name, fault: fault,
      outcome: "200 000 tasks, each exactly once; the ledger balances",
      injection: injection.map { "seed=7,\($0)" }, deadline: 120
    ) { _ in
      let storm = withSignals || injection == nil ? SignalStorm() : nil
      let ledger = try Workload().run()
      var notes = [ledger]
      if !names.isEmpty { notes.append(try Injection.end(names.map(String.init))) }
      if let storm { notes.append("\(try storm.end()) signals") }
      return notes
    }
  }
}

/// Sends a signal to each thread of this process, again and again. Its handler has no SA_RESTART, so
/// calls that wait return EINTR.
private final class SignalStorm: Sendable {
  private typealias Signal = @convention(c) (pid_t, pid_t, CInt) -> CInt
  private typealias Identify = @convention(c) () -> pid_t

  private static let handled = Counter()
  private let isOver = Counter()
  private let ended = DispatchSemaphore(value: 0)

  init() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in SignalStorm.handled.increment() }
    sigaction(SIGUSR1, &action, nil)
    // The first use of a static takes locks, and a signal handler must not do that.
    _ = Self.handled.value
    Thread.detachNewThread { [isOver, ended] in
      // Glibc has these functions, and its header does not show them to Swift.
      let signal = unsafeBitCast(dlsym(nil, "tgkill")!, to: Signal.self)
      let me = unsafeBitCast(dlsym(nil, "gettid")!, to: Identify.self)()
      while isOver.value == 0 {
        let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        for thread in (threads ?? []).compactMap({ pid_t($0) }) where thread != me {
          _ = signal(getpid(), thread, SIGUSR1)
        }
        usleep(200)
      }
      ended.signal()
    }
  }

  /// Ends the signals, and says how many were handled.
  func end() throws -> Int {
    isOver.increment()
    ended.wait()
    try expect(Self.handled.value > 0, "no signal was handled")
    return Self.handled.value
  }
}
