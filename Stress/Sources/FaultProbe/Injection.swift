import Foundation

/// The functions of ``FaultInjection``. They are found by name, since the library is preloaded into
/// this process and not linked.
enum Injection {
  private typealias Configure = @convention(c) (UnsafePointer<CChar>) -> Void
  private typealias Count = @convention(c) (UnsafePointer<CChar>) -> Int

  /// Replaces all faults by those of `text`, from now on.
  static func configure(_ text: String) throws(Unexpected) {
    guard let symbol = dlsym(nil, "fault_injection_configure") else {
      throw Unexpected(description: "libFaultInjection.so is not preloaded")
    }
    unsafeBitCast(symbol, to: Configure.self)(text)
  }

  /// How often a fault has happened.
  static func count(_ name: String) throws(Unexpected) -> Int {
    guard let symbol = dlsym(nil, "fault_injection_count") else {
      throw Unexpected(description: "libFaultInjection.so is not preloaded")
    }
    return unsafeBitCast(symbol, to: Count.self)(name)
  }

  /// Ends the faults, and says how often each of `names` has happened. Throws if one of them has never
  /// happened, since nothing was proved then.
  static func end(_ names: [String]) throws(Unexpected) -> String {
    try configure("")
    var counts: [String] = []
    for name in names {
      let count = try count(name)
      try expect(count > 0, "\(name) has never happened")
      counts.append("\(name) \(count)")
    }
    return counts.joined(separator: ", ")
  }
}
