import CPeers
import Dispatch
import Measuring
import NIOCore
import UVDispatch

extension Case {
  /// Timers that are far away, set and cancelled on the loop's thread.
  static let timers = [
    Case(
      "timers schedule+cancel",
      rows: [
        Row(
          "timers schedule+cancel, 100 000", demanded: [.timesFaster(6, than: "C uv_timer_t each")])
      ]
    ) { effort in
      let count = effort.count(100_000)
      return try contestants { schedule in
        var cancels: [() -> Void] = []
        cancels.reserveCapacity(count)
        return timed {
          for number in 0..<count { cancels.append(schedule(delay(number))) }
          for cancel in cancels { cancel() }
        } / Double(count)
      } inC: {
        cpeers_timers_schedule_and_cancel(count)
      }
    },
    Case(
      "timers churn",
      rows: [
        Row(
          "timers churn, 10 000 live", demanded: [.timesFaster(6, than: "C uv_timer_t each")])
      ]
    ) { effort in
      let live = 10_000
      let steps = effort.count(100_000)
      return try contestants { schedule in
        var cancels = (0..<live).map { schedule(delay($0)) }
        let cost = timed {
          for step in 0..<steps {
            cancels[step % live]()
            cancels[step % live] = schedule(delay(live + step))
          }
        }
        for cancel in cancels { cancel() }
        return cost / Double(steps)
      } inC: {
        cpeers_timers_churn(live, steps)
      }
    },
  ]

  /// Spread over an hour, in no order: the milliseconds that the peer in C takes too.
  private static func delay(_ number: Int) -> Int64 {
    3_600_000 + Int64((number &* 2_654_435_761) % 3_600_000)
  }

  /// Makes a timer that is so many milliseconds away, and returns what cancels it.
  private typealias Schedule = (Int64) -> () -> Void

  private static func contestants(
    _ measure: @escaping @Sendable (Schedule) -> Double, inC: @escaping () -> Double
  ) throws -> [Contestant] {
    let ours = try UVForeground()
    let nio = NIOLoop()
    let dispatch = DispatchSubject.serial
    return [
      Contestant(Contestant.ours) {
        let queue = ours.dispatcher.foreground
        return onThread(of: ours) {
          measure { milliseconds in
            let timer = queue.after(.milliseconds(milliseconds)) {}
            return { timer.cancel() }
          }
        }
      },
      Contestant("C uv_timer_t each", measureOne: inC),
      Contestant("NIO") {
        let loop = nio.loop
        return onThread(of: nio) {
          measure { milliseconds in
            let timer = loop.scheduleTask(in: .milliseconds(milliseconds)) {}
            return { timer.cancel() }
          }
        }
      },
      Contestant("Dispatch") {
        let queue = dispatch.queue
        return onThread(of: dispatch) {
          measure { milliseconds in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler {}
            timer.schedule(deadline: .now() + .milliseconds(Int(milliseconds)))
            timer.resume()
            return { timer.cancel() }
          }
        }
      },
    ]
  }

  private static func onThread(
    of subject: any Subject, _ body: @escaping @Sendable () -> Double
  ) -> Double {
    let waits = Waits(count: 1)
    let end = DispatchSemaphore(value: 0)
    subject.run {
      waits.set(0, Int64(body() * 1_000))
      end.signal()
    }
    end.wait()
    return Double(waits[0]) / 1_000
  }
}
