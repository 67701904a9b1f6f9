internal import CThreads
internal import Glibc

/// Where a thread was at one moment: its registers, and a copy of the top of its stack.
package struct StackSample: Sendable {
  /// The registers that tables for unwinding speak of, by their numbers there. Nil where the value is not known.
  var registers: [UInt64?]
  /// The address that ``bytes`` were copied from.
  let address: UInt64
  /// The stack, from below the stack pointer towards its beginning: 64 KiB at most.
  let bytes: [UInt8]

  static let registerCount = Int(CSTACKS_REGISTERS)

  /// The word at an address, if that was copied.
  func word(at address: UInt64) -> UInt64? {
    // Registers may hold anything, so this wraps.
    let offset = address &- self.address
    guard bytes.count >= 8, offset <= UInt64(bytes.count - 8) else { return nil }
    return bytes[Int(offset)..<Int(offset) + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension StackSample {
  /// Why there is no sample of a thread.
  package enum Failure: Error, Sendable, Hashable {
    /// The thread has ended.
    case gone
    /// The thread did not answer the signal in time: it blocks the signal, or it gets no time on a processor.
    case silent
    /// Other code has installed a handler for the signal.
    case replaced
    /// The system does not say what the thread does: it hides files of `/proc`.
    case hidden
    /// The thread went on whenever it was looked at.
    case restless
    /// The processor of this machine is not known to this library.
    case unsupported
  }

  /// Makes the process ready for samples that send `signal`: opens a file, and installs a handler. Any thread.
  ///
  /// - Returns: Zero, or the system's error.
  package static func prepare(signal: CInt) -> CInt { cstacks_prepare(signal) }

  /// Whether an error of ``prepare(signal:)`` means that the process may not read its own memory, so that each sample
  /// is ``Failure/hidden``.
  package static func isHidden(_ status: CInt) -> Bool {
    status == ENOENT || status == EACCES || status == EPERM
  }

  /// Takes a sample of a thread. It waits while another thread takes one.
  ///
  /// A thread that sleeps in the kernel is asked nothing: a signal would cut its wait short. Of its registers only the
  /// stack pointer and the program counter are known. A thread that runs is sent the signal.
  ///
  /// It takes some tens of microseconds. A thread that blocks the signal costs `patience`.
  package static func take(
    of thread: ThreadID, signal: CInt, patience: Duration = .milliseconds(100)
  ) throws(Failure) -> StackSample {
    let milliseconds = CInt(clamping: patience.clampedNanoseconds / 1_000_000)
    var sample = cstacks_sample()
    var answer: CInt = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(CSTACKS_BYTES)) { bytes, count in
      answer = unsafe cstacks_take(
        thread.number, signal, milliseconds, &sample, bytes.baseAddress!)
      count = answer == CSTACKS_TAKEN ? Int(sample.count) : 0
    }
    if let failure = Failure(answer) { throw failure }
    return StackSample(sample, bytes)
  }

  private init(_ sample: cstacks_sample, _ bytes: [UInt8]) {
    registers = unsafe withUnsafeBytes(of: sample.registers) { words in
      unsafe words.bindMemory(to: UInt64.self).enumerated().map {
        sample.known & (1 << $0.offset) == 0 ? nil : $0.element
      }
    }
    address = sample.from
    self.bytes = bytes
  }
}

extension StackSample.Failure {
  /// Nil for an answer that is no failure.
  fileprivate init?(_ answer: CInt) {
    switch Int(answer) {
    case CSTACKS_TAKEN: return nil
    case CSTACKS_GONE: self = .gone
    case CSTACKS_SILENT: self = .silent
    case CSTACKS_REPLACED: self = .replaced
    case CSTACKS_HIDDEN: self = .hidden
    case CSTACKS_RESTLESS: self = .restless
    default: self = .unsupported
    }
  }
}
