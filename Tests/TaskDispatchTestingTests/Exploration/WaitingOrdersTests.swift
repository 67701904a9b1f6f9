import TaskDispatch
import TaskDispatchTesting
import Testing

/// While one thread waits, other threads do not. They run before, during and after what it waits for, until it
/// has gone on.
@Suite("Every order around a body that waits")
struct WaitingOrdersTests {
  private func orders(
    _ configuration: RecordingDispatcher.Configuration = .init(width: 2),
    _ scenario: (RecordingDispatcher, Log) -> Void
  ) throws -> Set<[String]> {
    let result = try explore(.exhaustive, configuration: configuration) { dispatcher in
      let log = Log()
      scenario(dispatcher, log)
      try dispatcher.runUntilIdle()
      return log.all
    }
    #expect(result.isExhausted)
    return Set(result.outcomes)
  }

  @Test("in sync: what its body has submitted may run before the caller goes on, or after it")
  func sync() throws {
    let orders = try orders { dispatcher, log in
      let queue = dispatcher.makeQueue(label: "store", width: 1)
      dispatcher.foreground {
        try? queue.sync { _ = queue { log.note("submitted") } }
        log.note("caller")
      }
    }

    #expect(orders == [["submitted", "caller"], ["caller", "submitted"]])
  }

  @Test("in wait: what the target has submitted may run before the caller goes on, or after it")
  func wait() throws {
    let orders = try orders { dispatcher, log in
      dispatcher.foreground {
        let target = dispatcher.background.submit {
          dispatcher.background { log.note("submitted") }
        }
        _ = try? target.wait()
        log.note("caller")
      }
    }

    #expect(orders == [["submitted", "caller"], ["caller", "submitted"]])
  }

  @Test("for room: what made room may be followed by others, before the submission goes in")
  func room() throws {
    let limited = RecordingDispatcher.Configuration(
      width: 1, overflow: .blockCaller(limit: 1, timeout: nil))
    let orders = try orders(limited) { dispatcher, log in
      dispatcher.background {
        dispatcher.foreground { log.note("submitted") }
      }
      dispatcher.background { log.note("second") }
      log.note("accepted")
    }

    #expect(orders.contains(["submitted", "accepted", "second"]))
    #expect(orders.contains(["accepted", "submitted", "second"]))
    #expect(orders.contains(["accepted", "second", "submitted"]))
    #expect(orders.count == 3)
  }

  @Test("with a time-out: it is over before, or what is waited for comes about, and not both")
  func timeOut() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 1)) { dispatcher in
      let log = Log()
      let target = dispatcher.background.submit { log.note("target") }
      dispatcher.background {}
      dispatcher.foreground {
        do {
          _ = try target.wait(timeout: .seconds(1))
          log.note("in time, \(dispatcher.now == .start)")
        } catch { log.note("too late") }
      }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(
      Set(result.outcomes) == [
        ["target", "in time, true"], ["too late", "target"],
      ])
  }

  @Test("with a time-out, whose end alone makes two orders")
  func timeOutAlone() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 1)) { dispatcher in
      let target = dispatcher.background.submit {}
      let isInTime = (try? target.wait(timeout: .seconds(1))) != nil
      try dispatcher.runUntilIdle()
      return isInTime
    }

    #expect(result.outcomes == [true, false])
    #expect(result.ordersSeen == 2)
  }
}
