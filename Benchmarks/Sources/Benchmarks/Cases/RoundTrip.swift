import Dispatch
import Measuring
import NIOPosix
import UVDispatch

extension Case {
  /// A Swift Task that awaits one body on a worker after the other.
  static let roundTrip = Case("run round trip", rows: [Row("run (async) round trip")]) { effort in
    let ours = try UVBackground(width: 3)
    let queue = ours.dispatcher.background
    let pool = NIOPool(width: 3).pool
    let dispatch = DispatchSubject.concurrent
    let count = effort.count(5_000)
    func oneAfterTheOther(_ call: @escaping @Sendable () async throws -> Void) -> Double {
      blocking {
        let began = nanoseconds()
        for _ in 0..<count { try! await call() }
        return Double(nanoseconds() - began) / Double(count)
      }
    }
    return [
      Contestant(Contestant.ours) { oneAfterTheOther { try await queue.run {} } },
      Contestant("NIO") { oneAfterTheOther { try await pool.runIfActive {} } },
      Contestant("Dispatch") {
        oneAfterTheOther {
          await withCheckedContinuation { continuation in
            dispatch.queue.async { continuation.resume() }
          }
        }
      },
      Contestant("Task.detached") { oneAfterTheOther { await Task.detached {}.value } },
    ]
  }
}
