import Glibc
import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch

@Suite("The frames of another thread")
struct UnwinderTests {
  static let unwinder = Unwinder(images: LoadedImage.all())

  static func frames(of thread: StuckThread) throws -> [Unwinder.Frame] {
    #expect(StackSample.prepare(signal: SIGURG) == 0)
    let sample = try StackSample.take(of: thread.id, signal: SIGURG)
    return unwinder.frames(of: sample, limit: 300)
  }

  /// The C library's unwinder has been called a few calls further in. From the caller of the function that is stuck on,
  /// all must be the same.
  private static func compare(_ frames: [Unwinder.Frame], _ thread: StuckThread, _ seed: Int) {
    // That one calls a handler later, and from its own functions.
    if ThisProcess.isUnderThreadSanitizer { return }
    let judgement = thread.place.judgement.value
    let same = zip(judgement.reversed(), frames.reversed()).prefix { $0 == $1.address }.count
    #expect(judgement.count - same <= 4 && judgement.count > 12, "seed \(seed)")
    // Without optimisation, a load of an atomic is several calls.
    #expect(frames.count - same <= 8, "seed \(seed)")
    #expect(frames.first?.isReturnAddress == false)
    #expect(frames.dropFirst().allSatisfy { $0.isReturnAddress })
  }

  @Test("are those that the C library finds in the thread itself", arguments: 0..<20)
  func running(block: Int) throws {
    for seed in block * 5..<block * 5 + 5 {
      let thread = StuckThread { place in
        RandomStack(seed: seed).enter {
          place.arrive()
          while place.isStuck {}
        }
      }
      defer { thread.letGo() }
      let frames = try Self.frames(of: thread)
      Self.compare(frames, thread, seed)
      if !ThisProcess.isUnderThreadSanitizer { #expect(frames.allSatisfy { !$0.isGuessed }) }
    }
  }

  @Test("are the same while the thread waits in the kernel, whose wait goes on", arguments: 0..<20)
  func waiting(block: Int) throws {
    for seed in block * 5..<block * 5 + 5 {
      let thread = StuckThread { place in
        RandomStack(seed: seed).enter {
          place.arrive()
          place.waitInKernel()
        }
      }
      defer { thread.letGo() }
      try thread.waitUntilInKernel()
      let frames = try Self.frames(of: thread)
      Self.compare(frames, thread, seed)
    }
  }
}

/// Calls that lie on a stack above each other: of all kinds, in an order that a seed says.
struct RandomStack {
  private let dice: Box<Dice>
  private let depth: Int

  init(seed: Int) {
    var dice = Dice(seed: seed)
    depth = 5 + dice.roll(20)
    self.dice = Box(dice)
  }

  func enter(_ leaf: () -> Void) { descend(depth, leaf) }

  private func descend(_ left: Int, _ leaf: () -> Void) {
    if left == 0 { return leaf() }
    switch dice.change({ $0.roll(6) }) {
    case 0: plain(left, leaf)
    case 1: generic(left, leaf)
    case 2: withRoom(left, leaf)
    case 3: throughTheCLibrary(left, leaf)
    case 4: throughSorting(left, leaf)
    default: try? throwing(left, leaf)
    }
  }

  @inline(never) private func plain(_ left: Int, _ leaf: () -> Void) {
    descend(left - 1, leaf)
    spend(left)
  }

  @inline(never) private func generic(_ left: some BinaryInteger, _ leaf: () -> Void) {
    descend(Int(left) - 1, leaf)
    spend(left)
  }

  /// Has a frame whose size is known at run time only.
  @inline(never) private func withRoom(_ left: Int, _ leaf: () -> Void) {
    let bytes = 8 + 8 * dice.change { $0.roll(100) }
    unsafe withUnsafeTemporaryAllocation(byteCount: bytes, alignment: 16) { room in
      unsafe room.initializeMemory(as: UInt8.self, repeating: 1)
      descend(left - 1, leaf)
      spend(room.count)
    }
  }

  /// The C library keeps no frame pointers.
  @inline(never) private func throughTheCLibrary(_ left: Int, _ leaf: () -> Void) {
    withoutActuallyEscaping(leaf) { leaf in
      var calls = Calls(stack: self, left: left, leaf: leaf)
      unsafe withUnsafeMutablePointer(to: &calls) { calls in
        var key = UInt(bitPattern: calls)
        var value = 1
        _ = unsafe bsearch(&key, &value, 1, MemoryLayout<Int>.size) { key, _ in
          let address = unsafe key!.load(as: UInt.self)
          let calls = unsafe UnsafePointer<Calls>(bitPattern: address)!
          unsafe calls.pointee.stack.descend(calls.pointee.left - 1, calls.pointee.leaf)
          return 0
        }
      }
    }
  }

  private struct Calls {
    let stack: RandomStack
    let left: Int
    let leaf: () -> Void
  }

  @inline(never) private func throughSorting(_ left: Int, _ leaf: () -> Void) {
    var numbers = [2, 1]
    var isFirst = true
    numbers.sort {
      if isFirst {
        isFirst = false
        descend(left - 1, leaf)
      }
      return $0 < $1
    }
    spend(numbers[0])
  }

  @inline(never) private func throwing(_ left: Int, _ leaf: () -> Void) throws {
    descend(left - 1, leaf)
    if left % 2 == 0 { throw Odd() }
  }

  private struct Odd: Error {}

  /// Keeps a call from being the last act of its function, which would then have no frame.
  @inline(never) private func spend(_ number: some BinaryInteger) {
    dice.change { _ in precondition(number >= 0) }
  }
}
