import Foundation
import Glibc
import TestSupport

/// A program of `Tests/MainThreadHost`, in a process of its own, since the main thread of this one is the test
/// runner's.
///
/// Foundation's `Process` does not start it, because that leaves memory behind.
final class MainThreadHost {
  let identifier: pid_t
  private let output = Foundation.Pipe()
  private let input = Foundation.Pipe()

  private struct NotStarted: Error { let program: String, code: CInt }

  /// Starts the program of this name.
  init(_ program: String) throws {
    // The program is built beside the tests.
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let path = tests.deletingLastPathComponent().appendingPathComponent("MainThreadHost").path
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let (reads, writes) = (input.fileHandleForReading, output.fileHandleForWriting)
    for (descriptor, number) in [(reads, 0), (writes, 1), (writes, 2)] as [(FileHandle, CInt)] {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor.fileDescriptor, number)
    }
    // The program must not inherit the signals that Swift's threads block: `alarm` has to end it.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = unsafe [strdup(path), strdup(program), nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var process = pid_t()
    let code = unsafe posix_spawn(&process, path, &actions, &attributes, &arguments, environ)
    guard code == 0 else { throw NotStarted(program: program, code: code) }
    identifier = process
    try writes.close()
    try reads.close()
  }

  /// The next line that the program prints.
  func readLine() -> String {
    var line: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first,
      byte != UInt8(ascii: "\n")
    {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  func write(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

  /// Waits for the end of the program. To be called once.
  ///
  /// - Returns: What the program printed and how it ended, if that differs from what it says when everything is
  ///   as it should be.
  func complaint() throws -> String? {
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    var status: CInt = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status == 0 && text == "ok\n" ? nil : "wait status \(status): \(text)"
  }
}
