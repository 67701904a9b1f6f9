import Foundation

/// One fault, and how a process must end because of it.
struct Probe: Sendable {
  /// How a process may end.
  enum Ending: Hashable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)
    /// The process was killed, because its deadline had passed.
    case hung

    var description: String {
      switch self {
      case .exit(let status): "left with \(status)"
      case .signal(SIGABRT): "aborted"
      case .signal(let number): "ended by signal \(number)"
      case .hung: "hung until its deadline"
      }
    }
  }

  var name: String
  /// What goes wrong.
  var fault: String
  /// What must follow from the fault.
  var outcome: String
  /// The setting of ``FaultInjection``, which is then preloaded. Nil if it is not preloaded.
  var injection: String?
  /// Which endings are as documented.
  var endings: Set<Ending> = [.exit(0)]
  /// How many processes run the probe. Each is told its number.
  var variants = 1
  /// How long a process may take, in seconds. Under a sanitizer it may take five times as long.
  var deadline = 30.0
  /// Throws if the outcome is not as documented. The texts that it returns are printed.
  var body: @Sendable (_ variant: Int) throws -> [String]

  struct Verdict {
    var isAsWritten = true
    var milliseconds = 0
    var notes: [String] = []
  }

  /// Runs the probe in processes of its own, one after the other.
  func runOutside() -> Verdict {
    let clock = ContinuousClock()
    let began = clock.now
    var verdict = Verdict()
    var ends: [(text: String, variants: [Int])] = []
    for variant in 0..<variants {
      let (ending, said) = runProcess(variant)
      if !endings.contains(ending) {
        verdict.isAsWritten = false
        verdict.notes += said
      } else if variants == 1 {
        verdict.notes += said
      }
      let text = ending == .exit(0) ? said.last ?? "\(ending)" : "\(ending)"
      if let index = ends.firstIndex(where: { $0.text == text }) {
        ends[index].variants.append(variant)
      } else {
        ends.append((text, [variant]))
      }
    }
    if variants > 1 {
      verdict.notes += ends.map { end in
        "\(end.variants.map(String.init).joined(separator: " ")): \(end.text)"
      }
    } else if !verdict.isAsWritten {
      verdict.notes.append(ends[0].text)
    }
    let took = began.duration(to: clock.now).components
    verdict.milliseconds =
      Int(took.seconds) * 1_000 + Int(took.attoseconds / 1_000_000_000_000_000)
    return verdict
  }

  private func runProcess(_ variant: Int) -> (Ending, said: [String]) {
    let me = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let log = FileManager.default.temporaryDirectory
      .appendingPathComponent("FaultProbe-\(name)-\(variant)-\(getpid())")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: log) }
    guard let output = try? FileHandle(forWritingTo: log) else {
      return (.exit(2), ["there is nowhere to write to: \(log.path)"])
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: me)
    process.arguments = ["--inside", name, "\(variant)"]
    process.standardOutput = output
    process.standardError = output
    var environment = ProcessInfo.processInfo.environment
    // An intended crash needs no page of text.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["UV_THREADPOOL_SIZE"] = "4"
    // Memory that a closed library had allocated looks like a leak.
    environment["ASAN_OPTIONS"] = [environment["ASAN_OPTIONS"], "detect_leaks=0"]
      .compactMap(\.self).joined(separator: ":")
    if let injection {
      let library = URL(fileURLWithPath: me).deletingLastPathComponent()
        .appendingPathComponent("libFaultInjection.so").path
      guard FileManager.default.fileExists(atPath: library) else {
        return (.exit(2), ["libFaultInjection.so is not beside this program: build the package"])
      }
      environment["LD_PRELOAD"] = library
      environment["FAULT_INJECTION"] = injection
    }
    process.environment = environment
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do { try process.run() } catch { return (.exit(2), ["it could not be started: \(error)"]) }
    let hangs = ended.wait(timeout: .now() + deadline * (isSanitized ? 5 : 1)) == .timedOut
    if hangs {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    let said = text.split(separator: "\n").map(String.init)
    if hangs { return (.hung, said) }
    return (
      process.terminationReason == .exit
        ? .exit(process.terminationStatus) : .signal(process.terminationStatus), said
    )
  }
}

/// Whether this is built for a sanitizer, which makes it slow.
private let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

/// The outcome is not as documented.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

/// Throws ``Unexpected`` unless `condition` holds.
func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws(Unexpected) {
  if !condition { throw Unexpected(description: text()) }
}
