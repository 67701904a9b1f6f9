import Foundation

/// A program that a test runs, with pipes from and to it.
final class ChildProcess: Sendable {
  private let process: pid_t
  /// Its standard input. No other program has it, so that it ends with the process that runs the tests.
  private let input: FileHandle
  /// Its standard output, and what it says of errors.
  private let output: FileHandle

  /// Starts the program at the path that is the first of `command`.
  init(_ command: [String]) {
    let (toChild, fromChild) = (Self.pipe(), Self.pipe())
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDERR_FILENO)
    // Threads of Swift's own let no signal in, and a program would inherit that.
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

  /// What it has written since the last time, once there is something; empty at the end.
  func readSome() -> Data { output.availableData }

  /// Ends its input, and waits until it has ended.
  ///
  /// - Returns: What it has written, so far as that was not read.
  @discardableResult
  func finish() -> Data {
    try? input.close()
    let data = (try? output.readToEnd()) ?? nil
    var status: CInt = 0
    unsafe waitpid(process, &status, 0)
    return data ?? Data()
  }
}
