import Foundation

/// A program that a test runs, with pipes from and to it.
final class ChildProcess: Sendable {
  private let process: pid_t
  /// The program's standard input. No other program has it, so it ends with the process that runs the
  /// tests.
  private let input: FileHandle
  /// The program's standard output and standard error.
  private let output: FileHandle

  /// Starts a program. The first text of `command` is its path.
  init(_ command: [String]) {
    let (toChild, fromChild) = (Self.pipe(), Self.pipe())
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDERR_FILENO)
    // Threads of Swift's own block all signals, and the program would inherit that.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var process: pid_t = 0
    let status = unsafe posix_spawn(
      &process, arguments[0]!, &actions, &attributes, &arguments, environ)
    precondition(status == 0, "\(command[0]) cannot be started: \(status)")
    self.process = process
    close(toChild.read)
    close(fromChild.write)
    input = FileHandle(fileDescriptor: toChild.write, closeOnDealloc: true)
    output = FileHandle(fileDescriptor: fromChild.read, closeOnDealloc: true)
  }

  private static func pipe() -> (read: CInt, write: CInt) {
    var ends: [CInt] = [0, 0]
    let status = unsafe Foundation.pipe(&ends)
    precondition(status == 0, "pipe failed: \(errno)")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// What the program has written since the last call, once there is something; empty at the end.
  func readSome() -> Data { output.availableData }

  /// Ends the program's input, and waits until the program has ended.
  ///
  /// - Returns: What the program has written and was not read before.
  @discardableResult
  func finish() -> Data {
    try? input.close()
    let data = (try? output.readToEnd()) ?? nil
    var status: CInt = 0
    unsafe waitpid(process, &status, 0)
    return data ?? Data()
  }
}
