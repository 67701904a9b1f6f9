import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Where a body runs.
private enum BodyPlace: CaseIterable, Codable { case loop, started, worker, late }

extension OnePool {
  @Suite("What a thread that runs bodies blocks")
  struct SignalMaskTests {
    @Test(
      "keeps no program that a body starts from being ended: SIGTERM and SIGPIPE still do",
      arguments: BodyPlace.allCases, [SIGTERM, SIGPIPE])
    private func children(place: BodyPlace, ending: CInt) async {
      await #expect(processExitsWith: .success) { [place, ending] in
        try blocking {
          Leaving.watch()
          signal(SIGPIPE) { _ in }
          // The thread of `run()` is the caller's, and keeps its mask.
          setMask(isFull: place != .loop)
          let status = Box<CInt?>(nil)
          try runBody(at: place) { status.value = statusOfChild(endingBy: ending) }
          guard status.value == ending else { exit(1) }
        }
      }
    }

    @Test(
      "is what the main thread blocks, but for faults, and not what the thread does that makes it")
    func asMain() throws {
      for program in ["masks", "masks-while-threads-are-made"] {
        #expect(try MainThreadHost(program).complaint() == nil)
      }
    }
  }
}

/// - Parameter isFull: Whether the calling thread blocks every signal from now on, or none.
private func setMask(isFull: Bool) {
  var mask = sigset_t()
  unsafe sigemptyset(&mask)
  if isFull { unsafe sigfillset(&mask) }
  unsafe sigdelset(&mask, SIGALRM)
  unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
}

/// Makes a dispatcher, and returns once `body` has run on one of its threads.
private func runBody(at place: BodyPlace, _ body: @escaping @Sendable () -> Void) throws {
  let dispatcher = try UVDispatcher()
  let hasRun = Latch()
  let act = { @Sendable in
    body()
    hasRun.open()
  }
  switch place {
  case .loop:
    dispatcher.foreground(act)
    return dispatcher.runUntilIdle()
  case .started: dispatcher.foreground(act)
  case .worker: dispatcher.background(act)
  case .late:
    dispatcher.beginShutdown()
    dispatcher.run()
    Task(executorPreference: dispatcher.foreground.executor) { act() }
  }
  if place != .late { try dispatcher.start() }
  require(hasRun.wait(patience), "no body has run")
}

/// - Returns: The signal that has ended a program which sends itself `signal`; 0 if it ends in order.
private func statusOfChild(endingBy signal: CInt) -> CInt {
  let words = ["sh", "-c", "kill -\(signal) $$; exit 0"]
  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  var child = pid_t()
  guard unsafe posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0 else { return -1 }
  var status: CInt = 0
  guard unsafe waitpid(child, &status, 0) == child else { return -1 }
  return status & 0x7f
}
