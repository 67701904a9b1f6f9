import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Jobs of Tasks that come between the report and the end of the loop")
  struct AwaitedShutdownTests {
    @Test("run there, if their Task awaits the report on the foreground")
    func awaiter() throws {
      let dispatcher = try UVDispatcher()
      let (wasForeground, report) = (Box(false), Box<ShutdownReport?>(nil))
      Task(executorPreference: dispatcher.foreground.executor) {
        let awaited = await dispatcher.shutdown()
        // Suspends once more, so that the Task's job has to come back again.
        await dispatcher.foreground.flush()
        wasForeground.value = dispatcher.isForeground
        report.value = awaited
      }

      dispatcher.run()

      #expect(wasForeground.value)
      #expect(report.value?.ledger.balances == true)
    }

    @Test("run there, also when the loop was just told to stop")
    func afterStop() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let (here, asked, ran) = (CurrentThread.id, Box(0), Box(0))
          dispatcher.foreground {
            unsafe dispatcher.withLoop { loop in
              unsafe CheckHandle.add(to: loop) {
                // After the iteration that has told the loop to stop, since nothing was left.
                guard dispatcher.engine.withCore({ $0.closing.report != nil && $0.loop.mustBeTold })
                else {
                  return true
                }
                Task(executorPreference: dispatcher.foreground.executor) {
                  if CurrentThread.id == here { ran.increment() }
                }
                return asked.increment() < 3
              }
            }
            dispatcher.beginShutdown()
          }

          dispatcher.run()

          #expect(ran.value == 3)
        }
      }
    }
  }
}

/// A handle of another library. The loop calls it at the end of each round, for as long as `body` returns true.
private enum CheckHandle {
  private typealias Pointer = UnsafeMutableRawPointer
  private typealias Callback = @convention(c) (Pointer) -> Void

  private final class Call {
    let body: () -> Bool
    init(_ body: @escaping () -> Bool) { self.body = body }
  }

  static func add(to loop: OpaqueLoop, _ body: @escaping () -> Bool) {
    let size = function("uv_handle_size", (@convention(c) (CInt) -> Int).self)(2)
    let handle = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    let initialise = unsafe function(
      "uv_check_init", (@convention(c) (Pointer, Pointer) -> CInt).self)
    _ = unsafe initialise(loop.pointer, handle)
    // The first field is `data`.
    unsafe handle.storeBytes(of: Unmanaged.passRetained(Call(body)).toOpaque(), as: Pointer.self)
    let start = unsafe function(
      "uv_check_start", (@convention(c) (Pointer, Callback) -> CInt).self)
    _ = unsafe start(handle) { handle in
      let call = unsafe Unmanaged<Call>.fromOpaque(handle.load(as: Pointer.self))
      if unsafe call.takeUnretainedValue().body() { return }
      let close = unsafe CheckHandle.function(
        "uv_close", (@convention(c) (Pointer, Callback) -> Void).self)
      unsafe close(handle) { handle in
        unsafe Unmanaged<Call>.fromOpaque(handle.load(as: Pointer.self)).release()
        unsafe handle.deallocate()
      }
    }
  }

  private static func function<Signature>(_ name: String, _: Signature.Type) -> Signature {
    unsafe unsafeBitCast(dlsym(nil, name)!, to: Signature.self)
  }
}
