import Foundation
import Synchronization
import UVDispatch

extension Probe {
  static let refusedResources: [Probe] = [
    Probe(
      name: "no-descriptors", fault: "n descriptors are left for the first dispatcher, n from 0",
      outcome: "UVError EMFILE, and the next works; or it needs no more", variants: 16
    ) { variant in
      let before = descriptors()
      let error = try errorWithSpareDescriptors(variant)
      let after = descriptors()
      // The process keeps the loop that starts worker runs, and libuv's pipe for signals.
      try expect(after - before <= 8, "\(before) descriptors before, \(after) after")
      try expectWorks(UVDispatcher())
      return [error.map { "\($0)" } ?? "it needs no more"]
    },
    Probe(
      name: "no-descriptors-later", fault: "n descriptors are left for a later one, n from 0",
      outcome: "UVError EMFILE, nothing left behind, the next works; or it needs no more",
      variants: 12
    ) { variant in
      try expectWorks(UVDispatcher())
      let before = descriptors()
      let error = try errorWithSpareDescriptors(variant)
      let after = descriptors()
      try expect(after == before, "\(before) descriptors before, \(after) after")
      try expectWorks(UVDispatcher())
      return [error.map { "\($0)" } ?? "it needs no more"]
    },
    Probe(
      name: "no-memory", fault: "the n-th allocation of libuv fails, and all after it, n from 0",
      outcome: "UVError ENOMEM and the next works, or libuv aborts, or no such allocation",
      endings: [.exit(0), .signal(SIGABRT)], variants: 30
    ) { variant in
      try FailingAllocator.install()
      FailingAllocator.failsFrom.store(variant, ordering: .relaxed)
      do {
        let dispatcher = try UVDispatcher()
        try expectWorks(dispatcher)
      } catch let error as UVError {
        let before = descriptors()
        _ = try uvError { _ = try UVDispatcher() }
        let after = descriptors()
        FailingAllocator.failsFrom.store(.max, ordering: .relaxed)
        try expect(error.name == "ENOMEM", "\(error)")
        try expect(after == before, "\(before) descriptors before, \(after) after")
        try expectWorks(UVDispatcher())
        return ["\(error); the next works"]
      }
      let count = FailingAllocator.count.load(ordering: .relaxed)
      return [count > variant ? "libuv does without" : "it needs no more"]
    },
    Probe(
      name: "no-memory-once", fault: "the n-th allocation of libuv fails, and no other, n from 0",
      outcome: "UVError ENOMEM and the next works, or libuv aborts, or no such allocation",
      endings: [.exit(0), .signal(SIGABRT)], variants: 30
    ) { variant in
      try FailingAllocator.install()
      FailingAllocator.fails.store(variant, ordering: .relaxed)
      do {
        let dispatcher = try UVDispatcher()
        try expectWorks(dispatcher)
      } catch let error as UVError {
        try expect(error.name == "ENOMEM", "\(error)")
        try expectWorks(UVDispatcher())
        return ["\(error); the next works"]
      }
      let count = FailingAllocator.count.load(ordering: .relaxed)
      return [count > variant ? "libuv does without" : "it needs no more"]
    },
  ]
}

/// Makes a dispatcher while only `spare` more descriptors can be opened, and returns why it could not
/// be made: nil if it was.
private func errorWithSpareDescriptors(_ spare: Int) throws -> UVError? {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  // A new descriptor gets the lowest free number.
  let lowest = dup(0)
  close(lowest)
  var few = rlimit(rlim_cur: rlim_t(Int(lowest) + spare), rlim_max: limit.rlim_max)
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
  defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
  do { _ = try UVDispatcher() } catch let error as UVError {
    try expect(error.name == "EMFILE", "\(error)")
    return error
  }
  return nil
}

/// The allocator of libuv in this process: it fails when a probe tells it to.
private enum FailingAllocator {
  /// How many allocations there were.
  static let count = Atomic(0)
  /// The number of the one allocation that fails; negative for none.
  static let fails = Atomic(-1)
  /// The number of the first allocation of those that fail: that one and all later ones.
  static let failsFrom = Atomic(Int.max)

  private typealias Allocate = @convention(c) (Int) -> UnsafeMutableRawPointer?
  private typealias Reallocate =
    @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
  private typealias AllocateZeroed = @convention(c) (Int, Int) -> UnsafeMutableRawPointer?
  private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void
  private typealias Replace =
    @convention(c) (Allocate, Reallocate, AllocateZeroed, Free) -> CInt

  private static var failsNow: Bool {
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    let failsFrom = failsFrom.load(ordering: .relaxed)
    let fails = fails.load(ordering: .relaxed)
    guard number == fails || number >= failsFrom else { return false }
    errno = ENOMEM
    return true
  }

  /// Call this before any other function of libuv.
  static func install() throws {
    guard let symbol = dlsym(nil, "uv_replace_allocator") else {
      throw Unexpected(description: "this program has no libuv")
    }
    let status = unsafeBitCast(symbol, to: Replace.self)(
      { size in FailingAllocator.failsNow ? nil : malloc(size) },
      { old, size in FailingAllocator.failsNow ? nil : realloc(old, size) },
      { count, size in FailingAllocator.failsNow ? nil : calloc(count, size) },
      { free($0) })
    try expect(status == 0, "uv_replace_allocator: \(status)")
  }
}
