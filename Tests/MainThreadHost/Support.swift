import Dispatch
import Glibc
import Synchronization
import TestSupport

/// The expectations that did not come true.
@MainActor enum Failures {
  private(set) static var all: [String] = []

  static func add(_ text: String) { all.append(text) }
}

/// Notes an expectation that did not come true.
@MainActor func expect(
  _ isTrue: Bool, _ text: @autoclosure () -> String, line: UInt = #line, file: String = #fileID
) {
  if !isTrue { Failures.add("\(file):\(line): \(text())") }
}

/// Traps on any other thread than the main one: a failure there cannot be noted.
func requireMainThread(line: UInt = #line, file: String = #fileID) {
  guard thisThread != getpid() else { return }
  fatalError("\(file):\(line): not on the main thread")
}

/// The calling thread's number in the kernel.
var thisThread: pid_t {
  var link = [CChar](repeating: 0, count: 64)
  let count = unsafe readlink("/proc/thread-self", &link, link.count)
  let path = link.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
  return path.split(separator: UInt8(ascii: "/")).last
    .flatMap { pid_t(String(decoding: $0, as: UTF8.self)) } ?? -1
}
