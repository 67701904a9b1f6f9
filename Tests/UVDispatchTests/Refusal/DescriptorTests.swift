import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("When no descriptors are left")
  struct DescriptorTests {
    @Test("the first dispatcher of a process is refused with an error, and works later")
    func firstDispatcher() async {
      // Each number of spare descriptors makes libuv fail at another place.
      for spare in 0..<12 {
        await #expect(processExitsWith: .success) { [spare = spare as Int] in
          blocking {
            let before = ThisProcess.descriptors
            let isRefused = withSpareDescriptors(spare) { throwsUVError { try UVDispatcher() } }
            guard isRefused else { return }
            let after = ThisProcess.descriptors
            // The private loop and libuv's signal pipe belong to the process, and stay. In libuv 1.48 a loop
            // has one more descriptor, for io_uring.
            #expect(after - before <= 9, "\(spare) spare: \(after - before) more are open")
            #expect(works(), "\(spare) spare: no dispatcher works afterwards")
          }
        }
      }
    }

    @Test("a later dispatcher is refused with an error, and nothing is left behind")
    func laterDispatcher() async {
      await #expect(processExitsWith: .success) {
        blocking {
          #expect(works())
          var refusals = 0
          for spare in 0..<8 {
            let before = ThisProcess.descriptors
            for _ in 0..<10 {
              if withSpareDescriptors(spare, { throwsUVError { try UVDispatcher() } }) {
                refusals += 1
              }
            }
            let after = ThisProcess.descriptors
            // Dispatch may open one at the same time, on a thread of its own.
            #expect(after - before <= 1, "\(spare) spare: \(before) to \(after)")
          }
          #expect(refusals >= 20, "only \(refusals) were refused")
          #expect(works())
        }
      }
    }

    @Test("the error names libuv's call and says what the system says")
    func error() async {
      await #expect(processExitsWith: .success) {
        blocking {
          #expect(works())
          let error = withSpareDescriptors(0) { () -> (any Error)? in
            do { _ = try UVDispatcher() } catch { return error }
            return nil
          }
          guard let error = error as? UVError else { fatalError("\(error as Any)") }
          #expect(error.call == "uv_loop_init")
          #expect(error.name == "EMFILE")
          #expect(
            "\(error)" == "uv_loop_init failed: too many open files (EMFILE)", "\(error)")
        }
      }
    }

    @Test("a dispatcher that is there goes on, with all its forms")
    func goesOn() async {
      await #expect(processExitsWith: .success) {
        blocking {
          guard let dispatcher = try? UVDispatcher() else { fatalError() }
          withSpareDescriptors(0) {
            let ran = Box(0)
            dispatcher.background { ran.increment() }
            dispatcher.foreground { ran.increment() }
            dispatcher.foreground.after(.milliseconds(1)) {
              ran.increment()
              dispatcher.beginShutdown()
            }
            try? dispatcher.background.sync { _ = ran.increment() }
            let report = dispatcher.run()
            #expect(ran.value == 4, "\(report)")
          }
        }
      }
    }
  }

  @Suite("When no thread can be made")
  struct ThreadTests {
    @Test("start() throws, and the loop can be run all the same")
    func start() async {
      await #expect(processExitsWith: .success) {
        blocking {
          // A sanitizer needs the address space itself.
          guard !ThisProcess.isSanitized else { return }
          guard let dispatcher = try? UVDispatcher() else { fatalError() }
          dispatcher.background {}
          dispatcher.runUntilIdle()
          let limit = __rlimit_resource_t(RLIMIT_AS.rawValue)
          var before = rlimit()
          unsafe getrlimit(limit, &before)
          var none = rlimit(
            rlim_cur: rlim_t(ThisProcess.addressSpace + (1 << 20)), rlim_max: before.rlim_max)
          unsafe setrlimit(limit, &none)
          let error = { () -> (any Error)? in
            do { try dispatcher.start() } catch { return error }
            return nil
          }()
          unsafe setrlimit(limit, &before)
          guard let error = error as? UVError else { fatalError("\(error as Any)") }
          #expect(error.call == "pthread_create", "\(error)")
          #expect(error.name == "EAGAIN" || error.name == "ENOMEM", "\(error)")

          dispatcher.foreground { dispatcher.beginShutdown() }
          let report = dispatcher.run()
          #expect(report.ledger.completed == 2)
        }
      }
    }
  }
}

private func throwsUVError(_ body: () throws -> UVDispatcher) -> Bool {
  do {
    _ = try body()
    return false
  } catch is UVError {
    return true
  } catch {
    fatalError("another error: \(error)")
  }
}

/// Whether a dispatcher can be made, and does both kinds of work.
private func works() -> Bool {
  guard let dispatcher = try? UVDispatcher() else { return false }
  dispatcher.background { dispatcher.foreground { dispatcher.beginShutdown() } }
  return dispatcher.run().ledger.completed == 2
}

/// Leaves this process only `spare` descriptors more than it has. Only for a process of its own: all its
/// threads share the limit.
private func withSpareDescriptors<Result>(_ spare: Int, _ body: () -> Result) -> Result {
  // The limit is a bound for the numbers of descriptors. So every free number below it is used up first.
  var used: [CInt] = []
  while true {
    let descriptor = dup(0)
    guard descriptor >= 0 else { break }
    used.append(descriptor)
    // Above all numbers that are open, so that no gap is left below the limit.
    if used.count > ThisProcess.descriptors - used.count + 8 { break }
  }
  let highest = used.max() ?? 2
  for descriptor in used.suffix(spare) { close(descriptor) }
  let limit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var before = rlimit()
  unsafe getrlimit(limit, &before)
  var few = rlimit(rlim_cur: rlim_t(highest + 1), rlim_max: before.rlim_max)
  unsafe setrlimit(limit, &few)
  let result = body()
  unsafe setrlimit(limit, &before)
  for descriptor in used.dropLast(min(spare, used.count)) { close(descriptor) }
  return result
}
