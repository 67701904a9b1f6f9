/// What a run has done.
public struct Summary: Sendable, Hashable {
  /// The files that were read.
  public var read = Amount()
  /// Files that were not read, because their line existed already and was true.
  public var unchanged = 0
  /// Files that the manifest no longer names, because they do not exist any more.
  public var gone = 0
  /// Files and directories that could not be read, and files that changed while they were read.
  public var failed = 0
  public var elapsed = Duration.zero

  public init() {}
}

extension Summary: CustomStringConvertible {
  /// `12 files, 3456 bytes in 0.12 s, 0.0 MB/s; 2 unchanged, 1 gone, 0 failed`.
  public var description: String {
    let seconds = elapsed.inSeconds
    let rate = seconds > 0 ? Double(read.bytes) / 1e6 / seconds : 0
    return """
      \(read.files) files, \(read.bytes) bytes in \(seconds.rounded(to: 2)) s, \
      \(rate.rounded(to: 1)) MB/s; \(unchanged) unchanged, \(gone) gone, \(failed) failed
      """
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension Double {
  /// The number as text, with so many digits behind the point.
  func rounded(to digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let units = Int((self * Double(scale)).rounded())
    let fraction = String(units % scale)
    return "\(units / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
