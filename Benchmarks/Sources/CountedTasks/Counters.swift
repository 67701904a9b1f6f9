internal import Glibc

/// What CallCounter has counted. Traps if it is not preloaded.
enum Counters {
  enum What: CInt {
    case allocations = 0
    case heldBytes = 1
    case wakes = 2
    case leases = 3
  }

  private typealias Read = @convention(c) (CInt) -> Int

  private static let read: Read = {
    guard let symbol = dlsym(nil, "callcounter_read") else {
      fatalError("CallCounter is not preloaded: set LD_PRELOAD to libCallCounter.so")
    }
    return unsafeBitCast(symbol, to: Read.self)
  }()

  static func value(_ what: What) -> Int { read(what.rawValue) }

  /// By how much `body` increases the count.
  static func during(_ what: What, _ body: () throws -> Void) rethrows -> Int {
    let before = value(what)
    try body()
    return value(what) - before
  }
}
