import Foundation
import Synchronization
import TaskDispatchTesting
import TestSupport

/// A thread as the kernel knows it, which says whether it sleeps.
struct KernelThread: Sendable {
  private let path: String

  private init(path: String) { self.path = path }

  /// A thread of another process.
  init(_ thread: pid_t, of process: pid_t) { path = "/proc/\(process)/task/\(thread)/status" }

  /// The calling thread.
  static var current: KernelThread {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return KernelThread(path: "/proc/\(link ?? "self")/status")
  }

  /// The thread of this process that has this name, as much of it as the kernel takes.
  static func named(_ name: String) -> KernelThread? {
    let kept = String(decoding: name.utf8.prefix(15), as: UTF8.self) + "\n"
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.map { "/proc/self/task/\($0)" }
      .first { (try? String(contentsOfFile: "\($0)/comm", encoding: .utf8)) == kept }
      .map { KernelThread(path: "\($0)/status") }
  }

  /// Whether it sleeps, and so waits for another thread or for an event.
  var isAsleep: Bool {
    (try? String(contentsOfFile: path, encoding: .utf8))?.contains("State:\tS") == true
  }

  /// How often it was switched out, of its own accord or not.
  var switches: Int {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.contains("voluntary_ctxt_switches") }
      .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(0, +)
  }

  /// Whether it blocks `signal`.
  func blocks(_ signal: CInt) -> Bool {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let mask = text.split(separator: "\n").first { $0.hasPrefix("SigBlk:\t") }
      .flatMap { UInt64($0.dropFirst(8), radix: 16) }
    return mask.map { $0 >> UInt64(signal - 1) & 1 == 1 } ?? false
  }

  /// Waits until it sleeps.
  ///
  /// - Returns: False if it never does.
  func waitUntilItSleeps() -> Bool { wait { isAsleep } }

  /// Waits until the kernel has switched it more often than `count` times.
  ///
  /// - Returns: False if it never has.
  func waitUntilItHasBeenSwitched(moreOftenThan count: Int) -> Bool { wait { switches > count } }

  /// Waits until it is done with its work: it sleeps, has ended, or is the calling thread itself.
  ///
  /// - Returns: False if it never is.
  func waitUntilItRests() -> Bool {
    wait { isAsleep || !FileManager.default.fileExists(atPath: path) || path == Self.current.path }
  }

  /// No event tells of such a moment, so this keeps asking.
  private func wait(until isReached: () -> Bool) -> Bool {
    let end = ContinuousClock.now + patience
    while !isReached() {
      if ContinuousClock.now >= end { return false }
    }
    return true
  }
}

/// A thread that no dispatcher knows of. It makes itself known as a kernel thread before it runs its body.
final class WatchedThread: Sendable {
  private let known = Box<KernelThread?>(nil)
  private let isKnown = Flag()
  private let thread: OtherThread

  init(_ body: @escaping @Sendable () -> Void) {
    let (known, isKnown) = (known, isKnown)
    thread = OtherThread {
      known.value = .current
      isKnown.raise()
      body()
    }
  }

  /// Waits until it sleeps. False if it never does.
  func waitUntilItSleeps() -> Bool {
    while !isKnown.isRaised {}
    return known.value?.waitUntilItSleeps() == true
  }

  func join() -> Bool { thread.join() }
}
