import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The memory that libuv works on")
  struct MemoryTests {
    @Test("is given back with each dispatcher, run or not")
    func dispatchers() async {
      await #expect(processExitsWith: .success) {
        blocking {
          // Less than the smallest handle, which has 120 bytes.
          expectNoGrowth(of: 100, rounds: 10_000) {
            let dispatcher = try? UVDispatcher()
            withExtendedLifetime(dispatcher) {}
          }
        }
      }
    }

    @Test("is given back with each worker run")
    func leases() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          try WorkerRuns.prepare()
          // A request and its body together take more than twice as much.
          expectNoGrowth(of: 40, rounds: 40_000) {
            let ended = Latch()
            WorkerRuns.start { ended.open() }
            #expect(ended.wait(patience))
          }
        }
      }
    }

    @Test("is given back when the system has no descriptors left")
    func refused() async {
      await #expect(processExitsWith: .success) {
        blocking {
          var limit = rlimit()
          unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          // One more descriptor, for looking at the memory.
          limit.rlim_cur = rlim_t(ThisProcess.descriptors + 1)
          unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
          expectNoGrowth(of: 400, rounds: 10_000) {
            let dispatcher = try? UVDispatcher()
            #expect(dispatcher == nil)
          }
        }
      }
    }
  }
}

/// Expects that the process grows by less than `bytes` a round.
private func expectNoGrowth(of bytes: Int, rounds: Int, _ body: () -> Void) {
  // A sanitizer keeps freed memory.
  guard !ThisProcess.isSanitized else { return }
  for _ in 0..<(rounds / 10) { body() }
  let before = residentBytes()
  for _ in 0..<rounds { body() }
  let growth = residentBytes() - before
  #expect(growth < bytes * rounds, "\(growth / rounds) bytes a round")
}

/// How much memory of its own the process has in use, in bytes.
private func residentBytes() -> Int {
  var text = [CChar](repeating: 0, count: 128)
  let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
  defer { close(descriptor) }
  let count = unsafe read(descriptor, &text, text.count)
  let fields = text[..<max(0, count)].split(separator: 32).map { field in
    field.reduce(0) { $0 * 10 + Int($1) - 48 }
  }
  return (fields[1] - fields[2]) * 4096
}
