/// A line that shows how far a run has come. It is given everything that it shows.
public struct ProgressBar: Sendable, Hashable {
  public var passed: Amount
  /// Nil while the total is not known: then there is no bar, only numbers.
  public var total: Amount?
  /// The time since the beginning.
  public var elapsed: Duration

  public init(passed: Amount, total: Amount?, elapsed: Duration) {
    self.passed = passed
    self.total = total
    self.elapsed = elapsed
  }

  static let cells = 30

  /// From 0 to 1, and never more, although files may grow while they are read.
  var fraction: Double? {
    guard let total else { return nil }
    // A spool of empty files has a bar as well.
    let (done, all) =
      total.bytes > 0 ? (passed.bytes, total.bytes) : (passed.files, total.files)
    return all > 0 ? min(1, Double(done) / Double(all)) : 1
  }
}

extension ProgressBar: CustomStringConvertible {
  /// `[=======>                      ]  27%  1234 files  56.7 MB  123.4 MB/s`.
  public var description: String {
    let seconds = elapsed.inSeconds
    let megabytes = Double(passed.bytes) / 1e6
    let rate = seconds > 0 ? megabytes / seconds : 0
    let numbers =
      "\(passed.files) files  \(megabytes.rounded(to: 1)) MB  \(rate.rounded(to: 1)) MB/s"
    guard let fraction else { return "counting …  " + numbers }
    let full = Int(fraction * Double(Self.cells))
    let head = full < Self.cells ? ">" : ""
    let bar = String(repeating: "=", count: full) + head
    let rest = String(repeating: " ", count: Self.cells - bar.count)
    let percent = String(Int(fraction * 100))
    return "[\(bar)\(rest)] " + String(repeating: " ", count: 3 - percent.count) + percent
      + "%  " + numbers
  }
}
