import Glibc

@testable import Spool

/// Runs scripts with common tools, whose results the tests compare with those of `spoold`.
enum Shell {
  struct Failure: Error { let script: String, status: Int32 }

  /// Runs `script` in bash, where `$0` is the program under test, and `$1` and so on are `arguments`.
  ///
  /// - Parameters:
  ///   - out: The file for the script's standard output; the test's own output if nil.
  ///   - errors: The file for the script's standard error; the test's own if nil.
  /// - Returns: The exit status as a shell has it: 128 and more for a signal.
  static func status(
    _ script: String, _ arguments: [BytePath] = [], out: BytePath? = nil, errors: BytePath? = nil
  ) throws -> Int32 {
    let command: [BytePath] = ["/bin/bash", "-c", BytePath(script), try Program.path]
    return try wait(for: try start(command + arguments, out: out, errors: errors))
  }

  /// Runs a script as ``status(_:_:out:errors:)`` does, and throws unless it succeeds.
  static func run(_ script: String, _ arguments: [BytePath] = [], out: BytePath? = nil) throws {
    let status = try status(script, arguments, out: out)
    guard status == 0 else { throw Failure(script: script, status: status) }
  }

  /// Starts a program with these arguments, the first of which is its path.
  static func start(
    _ command: [BytePath], out: BytePath? = nil, errors: BytePath? = nil
  ) throws(SystemError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, path) in [
      (STDIN_FILENO, "/dev/null"), (STDOUT_FILENO, out), (STDERR_FILENO, errors),
    ] {
      guard let path else { continue }
      let flags = number == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
      _ = unsafe path.withCString {
        unsafe posix_spawn_file_actions_addopen(&actions, number, $0, flags, 0o644)
      }
    }
    var arguments = unsafe command.map { unsafe $0.withCString { unsafe strdup($0) } } + [nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The process that runs the tests may have signals ignored or blocked, and a program would inherit
    // that.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGXFSZ, SIGPIPE] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var process: pid_t = 0
    let status = unsafe posix_spawn(
      &process, arguments[0]!, &actions, &attributes, &arguments, environ)
    guard status == 0 else { throw SystemError(call: "posix_spawn", code: status) }
    return process
  }

  /// Whether the process has ended. ``wait(for:)`` then returns at once.
  static func hasEnded(_ process: pid_t) throws(SystemError) -> Bool {
    var information = unsafe siginfo_t()
    let options = WEXITED | WNOHANG | WNOWAIT
    try checked("waitid") { unsafe waitid(P_PID, id_t(process), &information, options) }
    return unsafe information.si_signo != 0
  }

  static func wait(for process: pid_t) throws(SystemError) -> Int32 {
    var status: Int32 = 0
    try checked("waitpid") { unsafe waitpid(process, &status, 0) }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
