#if Daemon
  import TestSupport
  import Foundation
  import Glibc
  import TaskDispatch

  import TaskDispatchTesting
  @testable import UVDaemon

  /// A service manager, and the daemon that it has started: a program of `Tests/DaemonHost`, in a process of
  /// its own.
  ///
  /// It hears what systemd would hear. It drops a datagram of more than 4096 bytes whole, and any datagram of
  /// another process.
  final class Supervisor {
    struct NotStarted: Error { let code: CInt }

    let identifier: pid_t
    private let socket = ManagerSocket()
    private let output = Foundation.Pipe()
    private let input = Foundation.Pipe()
    private(set) var heard: [String] = []
    private var printed = ""

    init(_ arguments: String...) throws {
      // `DaemonHost` is built beside the tests.
      let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      let path = tests.deletingLastPathComponent().appendingPathComponent("DaemonHost").path
      socket.wantsCredentials()
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      let (reads, writes) = (input.fileHandleForReading, output.fileHandleForWriting)
      for (file, number) in [(reads, 0), (writes, 1), (writes, 2)] as [(FileHandle, CInt)] {
        unsafe posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, number)
      }
      // The daemon must not inherit the signals that Swift's threads block.
      var attributes = posix_spawnattr_t()
      unsafe posix_spawnattr_init(&attributes)
      defer { unsafe posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe posix_spawnattr_setsigmask(&attributes, &none)
      unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      let environment = ProcessInfo.processInfo.environment
        .merging(["NOTIFY_SOCKET": socket.address]) { $1 }.map { "\($0)=\($1)" }
      var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
      var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
      defer {
        for index in unsafe words.indices { unsafe free(words[index]) }
        for index in unsafe variables.indices { unsafe free(variables[index]) }
      }
      var process = pid_t()
      let code = unsafe posix_spawn(&process, path, &actions, &attributes, &words, &variables)
      guard code == 0 else { throw NotStarted(code: code) }
      identifier = process
      try writes.close()
      try reads.close()
      let flags = fcntl(output.fileHandleForReading.fileDescriptor, F_GETFL)
      _ = fcntl(output.fileHandleForReading.fileDescriptor, F_SETFL, flags | O_NONBLOCK)
    }

    func signal(_ signal: CInt) { kill(identifier, signal) }

    /// Lets `count` jobs end.
    func endJobs(_ count: Int) {
      input.fileHandleForWriting.write(Data(repeating: 0, count: count))
    }

    /// Listens until it has heard `times` lines that begin with `line`.
    ///
    /// - Returns: False if they do not come.
    func hears(_ line: String, times: Int = 1) -> Bool {
      wait { self.heard.count { $0.hasPrefix(line) } >= times }
    }

    /// Listens until the daemon has printed `text`.
    ///
    /// - Returns: False if the daemon does not print it.
    func reads(_ text: String) -> Bool { wait { self.printed.contains(text) } }

    /// Listens for `time`, which is the gap between two signals of one case.
    func listen(for time: Duration) {
      _ = wait(until: ContinuousClock.now + time) { false }
    }

    /// Waits for the end of the daemon. To be called once.
    ///
    /// - Returns: The exit status of the daemon, nil if a signal has ended it; and what the daemon has printed.
    func end() -> (status: CInt?, text: String) {
      var status: CInt = 0
      var hasEnded = false
      // The daemon may print more than a pipe holds, so `wait` reads from the pipe.
      _ = wait {
        if !hasEnded { hasEnded = unsafe waitpid(self.identifier, &status, WNOHANG) != 0 }
        return hasEnded
      }
      if !hasEnded {
        kill(identifier, SIGKILL)
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      }
      take()
      return (status & 0x7f == 0 ? status >> 8 & 0xff : nil, printed)
    }

    private func wait(
      until end: ContinuousClock.Instant = ContinuousClock.now + patience,
      _ isReached: () -> Bool
    ) -> Bool {
      let number = output.fileHandleForReading.fileDescriptor
      while true {
        take()
        if isReached() { return true }
        let left = ContinuousClock.now.duration(to: end)
        if left <= .zero { return false }
        var files = [
          pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: number, events: Int16(POLLIN), revents: 0),
        ]
        // A pipe that the daemon has closed is ready for ever. It is not polled any more while the daemon ends.
        let milliseconds = min(5, max(1, left.components.seconds * 1000))
        unsafe poll(&files, isClosed ? 1 : 2, CInt(milliseconds))
      }
    }

    private var isClosed = false

    private func take() {
      heard += socket.datagrams().flatMap { datagram in
        datagram.process == identifier && datagram.size <= 4096
          ? datagram.text.split(separator: "\n").map(String.init) : []
      }
      var bytes = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = unsafe read(output.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
        if count == 0 { isClosed = true }
        guard count > 0 else { return }
        printed += String(decoding: bytes[..<count], as: UTF8.self)
      }
    }
  }
#endif
