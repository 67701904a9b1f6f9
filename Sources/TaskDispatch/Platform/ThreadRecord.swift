internal import CThreads

/// A thread of this process, as the kernel names it.
public struct ThreadRecord: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The kernel's number of the thread, which `top -H` and `/proc` show. It is used again after the thread has ended.
  public let id: Int
  /// The name of the thread, of 15 bytes at most. Empty if the thread has ended, or if the system hides `/proc`.
  public let name: String

  public init(id: Int, name: String) {
    self.id = id
    self.name = name
  }

  /// The thread with this number and the name that it has now. Reads a file of `/proc`.
  package init(of id: ThreadID) {
    let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
      _ = unsafe cthreads_name(id.number, buffer.baseAddress!, buffer.count)
      return unsafe String(cString: buffer.baseAddress!)
    }
    self.init(id: Int(id.number), name: name)
  }

  public var description: String { name.isEmpty ? "thread \(id)" : "thread \(id) \"\(name)\"" }
}

/// The kernel's number of a thread.
@frozen public struct ThreadID: Sendable, Hashable {
  @usableFromInline package let number: Int32

  /// No thread.
  @inlinable package init() { number = 0 }

  package init(_ number: Int32) { self.number = number }

  /// Asks the kernel for the number of the calling thread. A system call: see ``TaskContext/threadID``.
  static func ask() -> ThreadID { ThreadID(cthreads_id()) }
}
