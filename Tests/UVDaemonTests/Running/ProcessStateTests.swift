#if Daemon
  import TestSupport
  import Foundation
  import Glibc
  import InMemoryLogging
  import Logging
  import Testing
  import UVDispatch

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("What a daemon is started with")
  struct ProcessStateTests {
    @Test("may be a signal that is blocked: it is let in, with a word")
    func blocked() throws {
      let log = InMemoryLogHandler()
      let ended = Latch()
      let isBlocked = Box(true)
      Thread.detachNewThread {
        setMask(SIG_UNBLOCK, SIGINT)
        setMask(SIG_UNBLOCK, SIGUSR2)
        setMask(SIG_BLOCK, SIGTERM)
        runOnce(Logger(label: "test") { _ in log })
        isBlocked.value = setMask(SIG_UNBLOCK, SIGTERM)
        ended.open()
      }
      #expect(ended.wait(patience))

      #expect(!isBlocked.value)
      let messages = log.entries.map { "\($0.level): \($0.message)" }
      #expect(
        messages.first
          == "notice: SIGTERM was blocked, and nothing would have come of it: it is let in now"
      )
      #expect(messages.count { $0.hasPrefix("notice") } == 1)
    }

    @Test("is no default for SIGPIPE: every thread is told EPIPE, and what it starts is not")
    func brokenPipe() async {
      await #expect(processExitsWith: .success) {
        setDisposition(SIG_DFL)
        runOnce(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        guard writeToBrokenPipe() == EPIPE else { exit(1) }
        let child = Foundation.Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "kill -PIPE $$; exit 0"]
        try child.run()
        child.waitUntilExit()
        guard child.terminationReason == .uncaughtSignal, child.terminationStatus == SIGPIPE else {
          exit(2)
        }
      }
    }

    @Test("stays what the process has said that SIGPIPE is to do")
    func ownHandler() async {
      await #expect(processExitsWith: .success) {
        setDisposition(SIG_IGN)
        runOnce(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        guard isIgnored() else { exit(1) }
      }
    }
  }

  private func setDisposition(_ handler: sighandler_t?) { _ = signal(SIGPIPE, handler) }

  private func isIgnored() -> Bool {
    var action = sigaction()
    unsafe sigaction(SIGPIPE, nil, &action)
    // SIG_IGN is the number 1, and not a function.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// - Returns: The error number of the write; 0 if there is none.
  private func writeToBrokenPipe() -> CInt {
    var ends: [CInt] = [0, 0]
    _ = unsafe pipe(&ends)
    close(ends[0])
    return unsafe write(ends[1], "a", 1) == -1 ? errno : 0
  }

  /// Runs a daemon that was asked to end before it runs.
  private func runOnce(_ logger: Logger) {
    do {
      let daemon = try Daemon(UVDispatcher(), manager: .absent, logger: logger)
      daemon.beginShutdown(because: "test")
      try blocking { _ = try daemon.run() }
    } catch { Issue.record("\(error)") }
  }

  private func blocking(_ body: () throws -> Void) rethrows { try body() }

  /// - Returns: Whether the signal was blocked before.
  @discardableResult
  private func setMask(_ how: CInt, _ signal: CInt) -> Bool {
    var (one, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&one)
    unsafe sigaddset(&one, signal)
    unsafe pthread_sigmask(how, &one, &before)
    return unsafe sigismember(&before, signal) == 1
  }
#endif
