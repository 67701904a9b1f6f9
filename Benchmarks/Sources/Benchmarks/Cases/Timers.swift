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
      return try contestants(SetAndCancelled(count: count)) {
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
      return try contestants(Churned(live: live, steps: steps)) {
        cpeers_timers_churn(live, steps)
      }
    },
  ]

  private static func contestants(
    _ work: some TimerWork, inC: @escaping () -> Double
  ) throws -> [Contestant] {
    let ours = try UVForeground()
    let nio = NIOLoop()
    let dispatch = DispatchSubject.serial
    return [
      Contestant(Contestant.ours) {
        let queue = ours.dispatcher.foreground
        return onThread(of: ours) {
          work.cost(set: { queue.after(.milliseconds($0)) {} }, cancel: { $0.cancel() })
        }
      },
      Contestant("C uv_timer_t each", measureOne: inC),
      Contestant("NIO") {
        let loop = nio.loop
        return onThread(of: nio) {
          work.cost(
            set: { loop.scheduleTask(in: .milliseconds($0)) {} }, cancel: { $0.cancel() })
        }
      },
      Contestant("Dispatch") {
        let queue = dispatch.queue
        return onThread(of: dispatch) {
          work.cost(
            set: { milliseconds in
              let timer = DispatchSource.makeTimerSource(queue: queue)
              timer.setEventHandler {}
              timer.schedule(deadline: .now() + .milliseconds(Int(milliseconds)))
              timer.resume()
              return timer
            }, cancel: { $0.cancel() })
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

/// What is done with timers that are far away. It is generic over the handle that each interface gives,
/// so that no contestant pays for a closure around it.
private protocol TimerWork: Sendable {
  /// Nanoseconds a timer.
  ///
  /// - Parameter set: Makes a timer that is due in so many milliseconds.
  func cost<Timer>(set: (Int64) -> Timer, cancel: (Timer) -> Void) -> Double
}

private struct SetAndCancelled: TimerWork {
  let count: Int

  func cost<Timer>(set: (Int64) -> Timer, cancel: (Timer) -> Void) -> Double {
    var timers: [Timer] = []
    timers.reserveCapacity(count)
    return timed {
      for number in 0..<count { timers.append(set(delay(number))) }
      for timer in timers { cancel(timer) }
    } / Double(count)
  }
}

private struct Churned: TimerWork {
  let live: Int
  let steps: Int

  func cost<Timer>(set: (Int64) -> Timer, cancel: (Timer) -> Void) -> Double {
    var timers = (0..<live).map { set(delay($0)) }
    let time = timed {
      for step in 0..<steps {
        cancel(timers[step % live])
        timers[step % live] = set(delay(live + step))
      }
    }
    for timer in timers { cancel(timer) }
    return time / Double(steps)
  }
}

/// Delays in milliseconds, spread over an hour, in no order. The peer in C uses the same ones.
private func delay(_ number: Int) -> Int64 {
  3_600_000 + Int64((number &* 2_654_435_761) % 3_600_000)
}
