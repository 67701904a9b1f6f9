import Foundation
import Histogram
import Oracle

/// Watches a run: prints its progress, takes samples for the plot, and ends a run in which something
/// waits for ever.
final class Monitor: @unchecked Sendable {
  struct Sample: Codable, Sendable {
    var seconds: Double
    var tasksPerSecond: Double
    var queued: Int
    var running: Int
    /// In microseconds, of the tasks that began since the last sample; 0 if none did.
    var latency50: Double
    var latency99: Double
    var process: Process
  }

  private let runner: Runner
  private let began = monotonicNanoseconds()
  private let stopped = Gate()
  private let isTerminal = isatty(STDERR_FILENO) == 1
  let samples = Locked<[Sample]>([])
  private var lastEnded = 0
  private var lastTime: Int64
  /// Called when something waits for ever. Does not return.
  private let onStandstill: (String) -> Never

  /// How long anything may wait.
  static let patience: Int64 = (isSanitized ? 120 : 20) * 1_000_000_000

  /// How long one call in the mix `entangled` may last.
  static let callPatience: Int64 = (isSanitized ? 60 : 8) * 1_000_000_000

  init(_ runner: Runner, onStandstill: @escaping (String) -> Never) {
    self.runner = runner
    self.onStandstill = onStandstill
    lastTime = began
  }

  func stop() { stopped.open() }

  /// Watches until ``stop()``, on a thread of its own.
  func run() {
    var looks = 0
    while !stopped.wait(seconds: 0.25) {
      looks += 1
      watch()
      if looks % 4 == 0 { look(speaks: isTerminal || looks % 40 == 0) }
    }
    look(speaks: false)
    if isTerminal { write("\r\u{1b}[K") }
  }

  private func watch() {
    let now = monotonicNanoseconds()
    func check(
      _ since: Int64, _ what: @autoclosure () -> String, _ patience: Int64 = Monitor.patience
    ) {
      guard since > 0, now - since > patience else { return }
      onStandstill("\(what()) for \((now - since) / 1_000_000_000) seconds")
    }
    if let phase = runner.phase.withLock({ $0 }) {
      check(phase.since, "the run has been \(phase.name)")
    }
    if let call = runner.entangled.withLock({ $0?.longestCall }) {
      check(call.since, "user code has stood in one call (\(call.name))", Self.callPatience)
    }
    for producer in runner.producers.withLock({ $0 }) {
      check(
        Int64(producer.oldest.value), "producer \(producer.number) has waited for its oldest task")
      check(
        Int64(producer.actsSince.value), "producer \(producer.number) has stood in one call")
    }
  }

  private func look(speaks: Bool) {
    let now = monotonicNanoseconds()
    let latest = runner.latency.takeLatest()
    let world = runner.current.withLock { $0 }
    let ended = Int(runner.pastEnded.value) + (world.map { $0.totals.ended.value } ?? 0)
    let sample = Sample(
      seconds: Double(now - began) / 1e9,
      tasksPerSecond: Double(max(0, ended - lastEnded)) / (Double(now - lastTime) / 1e9),
      queued: world.map { $0.checkers.reduce(0) { $0 + $1.backlog } } ?? 0,
      running: world.map { $0.checkers.reduce(0) { $0 + $1.runningNow } } ?? 0,
      latency50: latest.totalCount == 0 ? 0 : Double(latest.valueAtPercentile(50)) / 1_000,
      latency99: latest.totalCount == 0 ? 0 : Double(latest.valueAtPercentile(99)) / 1_000,
      process: .now)
    (lastEnded, lastTime) = (max(ended, lastEnded), now)
    samples.withLock { $0.append(sample) }
    guard speaks else { return }
    let left =
      runner.plan.isForever
      ? "no end" : "\(Int(max(0, runner.plan.seconds - sample.seconds).rounded())) s left"
    let line =
      "\(left)  \(grouped(Int(sample.tasksPerSecond))) tasks/s  queued \(sample.queued)  running "
      + "\(sample.running)  p99 \(grouped(Int(sample.latency99))) us  "
      + "\(sample.process.residentBytes >> 20) MiB"
    write(isTerminal ? "\r\u{1b}[K\(line)" : "\(line)\n")
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// Groups thousands with a narrow space, for people.
func grouped(_ number: Int) -> String {
  var digits = Array(String(abs(number)))
  var place = digits.count - 3
  while place > 0 {
    digits.insert(" ", at: place)
    place -= 3
  }
  return (number < 0 ? "-" : "") + String(digits)
}
