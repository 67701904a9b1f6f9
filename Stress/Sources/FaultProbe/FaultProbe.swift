import Foundation

/// Makes something go wrong in a process of its own, and checks that this process ends as documented.
///
///     FaultProbe          every probe, as a table
///     FaultProbe NAME     one; leaves with 0 if its outcome is as documented
///     FaultProbe --list   all probes: name, fault and outcome
///
/// With `--inside NAME` this program is the process in which the fault happens.
@main
enum FaultProbe {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case nil: leave(runAll(Probe.all))
    case "--list":
      for probe in Probe.all { print("\(probe.name)\t\(probe.fault)\t\(probe.outcome)") }
    case "--inside":
      let probe = named(arguments.dropFirst().first ?? "")
      runInside(probe, variant: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0)
    case let name?: leave(runAll([named(name)]))
    }
  }

  private static func named(_ name: String) -> Probe {
    guard let probe = Probe.all.first(where: { $0.name == name }) else {
      print("FaultProbe: there is no probe \"\(name)\"; FaultProbe --list shows them")
      exit(2)
    }
    return probe
  }

  private static func leave(_ isWell: Bool) -> Never {
    // Not `exit`: a leak checker would report Foundation's objects as ours.
    fflush(nil)
    _exit(isWell ? 0 : 1)
  }

  private static func runAll(_ probes: [Probe]) -> Bool {
    var failed: [String] = []
    for probe in probes {
      let verdict = probe.runOutside()
      if !verdict.isAsWritten { failed.append(probe.name) }
      let state = verdict.isAsWritten ? "ok" : "FAILED"
      print(
        "\(probe.name): \(probe.fault) | \(probe.outcome) | \(state) | "
          + "\(verdict.milliseconds) ms")
      for line in verdict.notes { print("    \(line)") }
      fflush(nil)
    }
    print(
      failed.isEmpty
        ? "faults: ok, \(probes.count) of \(probes.count)"
        : "faults: FAILED: \(failed.joined(separator: ", "))")
    return failed.isEmpty
  }

  private static func runInside(_ probe: Probe, variant: Int) -> Never {
    // The thread that started this process may have blocked all signals, and a process inherits that.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    do {
      for note in try probe.body(variant) { print(note) }
      // Some probes leave a body that never ends, and `exit` would wait for it.
      fflush(nil)
      _exit(0)
    } catch {
      print("not as written: \(error)")
      fflush(nil)
      _exit(1)
    }
  }
}
