/// Something that several threads may use: a lock, an atomic, a place to sleep.
package class SharedObject: CustomStringConvertible {
  /// Where it is made. All objects of one place are of one kind.
  let site: Site
  /// The first thread that has used it in ``run``, and that run.
  fileprivate var user = -1
  fileprivate var run = -1

  package init(_ file: StaticString, _ line: UInt) { site = Site(file: "\(file)", line: line) }

  package var description: String { site.description }
}

/// A place in the source.
struct Site: Hashable, CustomStringConvertible {
  let file: String
  let line: UInt

  var description: String { "\(file.split(separator: "/").last ?? ""):\(line)" }
}

package final class SimulatedLock: SharedObject, @unchecked Sendable {
  var owner: SimulatedThread?
  var isHeld: Bool { owner != nil }
  /// Called each time that the lock has become free. Returns what is wrong.
  package var whenFree: (() -> String?)?

  package var isFree: Bool { owner == nil }
}

package final class SimulatedPlace: SharedObject, @unchecked Sendable {}

/// Which kinds of objects are used by several threads. Only those need points: before an operation on any other object,
/// a switch of threads gives nothing that a switch before the next operation on a shared one does not give.
///
/// It is learned from the runs so far, and grows. An object that all threads only read is not shared either.
package final class Sharing {
  private struct Use {
    var isShared = false
    var isWritten = false
  }
  private var uses: [Site: Use] = [:]
  /// How often something was found to be shared that was not before.
  private(set) package var growth = 0

  /// Notes a use of `object`. Returns whether several threads use what is of its kind, and any of them changes it.
  func isShared(
    _ object: SharedObject, by thread: SimulatedThread, _ kind: Step.Kind, in run: Int
  ) -> Bool {
    note(object, by: thread, kind, in: run)
    guard let use = uses[object.site] else { return false }
    return use.isShared && use.isWritten
  }

  func note(_ object: SharedObject, by thread: SimulatedThread, _ kind: Step.Kind, in run: Int) {
    var use = uses[object.site] ?? Use()
    let before = use.isShared && use.isWritten
    if object.run != run {
      object.run = run
      object.user = thread.serial
    } else if object.user != thread.serial {
      use.isShared = true
    }
    if kind != .load { use.isWritten = true }
    uses[object.site] = use
    if use.isShared, use.isWritten, !before { growth += 1 }
  }
}
