internal import Glibc
internal import TaskDispatch

/// The clients that were accepted. All of this runs on the foreground.
extension StatusServer {
  func register(_ number: Int32, for interest: Readiness) {
    let registration = try? dispatcher.onReady(number, for: interest, label: "client") { _ in
      self.serve(number)
    }
    state.withValue { state in
      if registration == nil {
        // A shutdown has begun, or the process has run out of something.
        state.clients[number] = nil
      } else {
        state.clients[number]?.registration = registration
      }
    }
  }

  private func serve(_ number: Int32) {
    // A copy, because an answer may ask how many clients there are.
    guard var client = state.withValue({ $0.clients[number] }) else { return }
    let limits = state.withValue { $0.limits }
    let interest = client.interest
    guard client.serve(limits, at: dispatcher.now, answer: { reply(to: $0, limits) }) else {
      return remove(number)
    }
    state.withValue { $0.clients[number] = client }
    guard client.interest != interest else { return }
    client.registration?.cancel()
    register(number, for: client.interest)
  }

  private func remove(_ number: Int32) {
    // Cancelled before the descriptor is closed, since another file may get its number then.
    state.withValue { $0.clients[number]?.registration }?.cancel()
    state.withValue { state in
      state.clients[number] = nil
      // No client is left that could become idle, so no timer is needed.
      if state.clients.isEmpty { state.alarm.take()?.timer.cancel() }
    }
  }

  private func reply(to line: ArraySlice<UInt8>, _ limits: Limits) -> [UInt8] {
    do throws(RequestRefusal) {
      let request = try StatusRequest(line)
      let reply = state.withValue({ $0.answer })?(request).text ?? []
      guard reply.count <= limits.reply else {
        throw RequestRefusal(
          reason: "the reply would have more than \(limits.reply) bytes; SIGUSR1 has no limit")
      }
      return reply
    } catch {
      return error.reply.text
    }
  }

  // MARK: Idle clients

  /// Sets a timer that removes clients that are idle for too long. There is none while there is no
  /// client.
  func setAlarm() {
    state.withValue { state in
      guard state.alarm == nil,
        let first = state.clients.values.map(\.active).min()
      else { return }
      let now = dispatcher.now
      let time = first.advanced(by: state.limits.idle)
      let timer = dispatcher.foreground.after(now.duration(to: time), label: "idle clients") {
        self.sendIdleAway()
      }
      state.alarm = (time, timer)
    }
  }

  private func sendIdleAway() {
    let now = dispatcher.now
    let idle = state.withValue { state -> [Int32] in
      state.alarm = nil
      return state.clients.filter { $0.value.active.advanced(by: state.limits.idle) <= now }
        .map(\.key)
    }
    for number in idle { remove(number) }
    setAlarm()
  }
}
