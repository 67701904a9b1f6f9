import Foundation
import Histogram
import Oracle
import TaskDispatch

/// The results of a run, for people and for files.
struct Report: Codable {
  let plan: Plan
  let seconds: Double
  let rounds: Int
  let totals: [String: Int]
  let ledger: [String: Int]
  let balances: Bool
  /// In microseconds, by percentile.
  let latency: [Percentile]
  let samples: [Monitor.Sample]
  let findings: [ViolationLog.Finding]

  struct Percentile: Codable {
    let percentile: Double
    let microseconds: Double
  }

  init(_ runner: Runner, seconds: Double, samples: [Monitor.Sample]) {
    plan = runner.plan
    self.seconds = seconds
    rounds = Int(runner.rounds.value)
    totals = runner.totals.values
    let sum = runner.ledgers.withLock { $0 }
    ledger = [
      "accepted": sum.accepted, "refused": sum.refused, "completed": sum.completed,
      "failed": sum.failed, "cancelled": sum.cancelled, "expired": sum.expired,
      "abandoned": sum.abandoned,
    ]
    balances = sum.accepted == sum.ended
    let whole = runner.latency.takeWhole()
    latency =
      whole.totalCount == 0 || runner.plan.backend == .fake
      ? []
      : [50, 90, 99, 99.9, 99.99, 100].map {
        Percentile(
          percentile: $0, microseconds: Double(whole.valueAtPercentile($0)) / 1_000)
      }
    self.samples = samples
    findings = runner.violations.all
  }

  var isGood: Bool { findings.isEmpty && balances }

  var bodies: Int { totals["bodies ended"] ?? 0 }

  func print() {
    section("seen by submitters and bodies")
    for name in TotalsSnapshot.order {
      if let count = totals[name], count > 0 { row(name, grouped(count)) }
    }
    if let faults = Faults.counts() {
      section("faults of the system")
      for (name, count) in faults.sorted(by: { $0.key < $1.key }) { row(name, grouped(count)) }
    }
    section("ledger of \(grouped(rounds)) dispatchers")
    for name in ["accepted", "refused", "completed", "failed", "cancelled", "expired", "abandoned"]
    {
      row(name, grouped(ledger[name] ?? 0))
    }
    let accepted = ledger["accepted"] ?? 0
    let refused = ledger["refused"] ?? 0
    let ended = ledger.values.reduce(0, +) - accepted - refused
    row(
      "balance",
      "\(grouped(accepted)) accepted = \(grouped(ended)) ended" + (balances ? "" : "  NOT EQUAL"))
    section("from submission to first instruction")
    if latency.isEmpty {
      row("nothing to tell", plan.backend == .fake ? "time is virtual" : "no body was timed")
    } else {
      for entry in latency {
        let name = entry.percentile == 100 ? "longest" : "p\(trimmed(entry.percentile))"
        row(name, "\(grouped(Int(entry.microseconds.rounded()))) us")
      }
    }
    section("violations")
    if findings.isEmpty { row("none", "") }
    for finding in findings {
      row("rule \(finding.rule.title)", grouped(finding.count))
      Swift.print("      first: \(finding.first)")
      for line in finding.history { Swift.print("        \(line)") }
    }
    Swift.print("")
  }

  private func trimmed(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }

  private func section(_ title: String) { Swift.print("\n\(title)") }

  private func row(_ name: String, _ value: String) {
    let filler = String(repeating: " ", count: max(1, 32 - name.count))
    Swift.print(value.isEmpty ? "  \(name)" : "  \(name)\(filler)\(value)")
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }
}
