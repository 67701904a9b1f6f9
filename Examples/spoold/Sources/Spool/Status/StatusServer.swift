internal import Glibc
public import TaskDispatch

/// Answers who asks at a Unix socket: a line of JSON for each line. Replies are made on the
/// foreground, where the state is; nothing here ever waits.
public final class StatusServer: Sendable {
  /// What a client may cost.
  public struct Limits: Sendable, Hashable {
    /// Clients at a time. The next is told so.
    public var clients: Int
    /// Bytes of a request.
    public var request: Int
    /// Bytes of a reply.
    public var reply: Int
    /// How long a client may neither send nor take anything.
    public var idle: Duration

    public init(
      clients: Int = 256, request: Int = 4_096, reply: Int = 64 * 1024,
      idle: Duration = .seconds(30)
    ) {
      self.clients = clients
      self.request = request
      self.reply = reply
      self.idle = idle
    }
  }

  private struct State {
    var limits: Limits
    var clients: [Int32: StatusClient] = [:]
    var listening: Registration?
    var alarm: (time: DispatcherInstant, timer: TimerHandle)?
    /// Until it may be tried again to let somebody in.
    var pause: TimerHandle?
    var isShort = false
    var isStopped = false
    var onNotice: (@Sendable (Notice) -> Void)?
    var answer: (@Sendable (StatusRequest) -> JSON)?
  }

  /// Owns the socket, and lets go of it with the server.
  private final class Door: Sendable {
    let listener: Listener
    init(_ listener: consuming Listener) { self.listener = listener }
  }

  private let dispatcher: any EventDispatcher
  private let door: Door
  private let state: Confined<State>

  public init(
    _ listener: consuming Listener, dispatcher: any EventDispatcher, limits: Limits = Limits()
  ) {
    self.dispatcher = dispatcher
    door = Door(listener)
    state = Confined(State(limits: limits), to: dispatcher.foreground)
  }

  /// The descriptor at which clients arrive.
  var descriptor: Int32 { door.listener.descriptor.number }

  /// How many clients there are. On the foreground.
  public var clientCount: Int { state.withValue { $0.clients.count } }

  /// Takes over other limits, for what comes. On the foreground.
  public func apply(_ limits: Limits) { state.withValue { $0.limits = limits } }

  /// Begins to let clients in. On the foreground, once.
  ///
  /// - Parameters:
  ///   - onNotice: Told when nobody can be let in for a while, and when that is over.
  ///   - answer: Makes a reply, on the foreground.
  public func start(
    onNotice: @escaping @Sendable (Notice) -> Void,
    answer: @escaping @Sendable (StatusRequest) -> JSON
  ) {
    state.withValue { state in
      state.onNotice = onNotice
      state.answer = answer
    }
    listen()
  }

  private func listen() {
    let listening = try? dispatcher.onReady(descriptor, for: .readable, label: "status") { _ in
      self.letIn()
    }
    // Refused only because a shutdown has begun already.
    state.withValue { $0.listening = listening }
  }

  private func tell(_ notice: Notice) { state.withValue({ $0.onNotice })?(notice) }

  /// Sends all clients away, and lets none in any more. On the foreground.
  public func stop() {
    let registrations = state.withValue { state -> [Registration] in
      state.isStopped = true
      (state.onNotice, state.answer) = (nil, nil)
      state.alarm.take()?.timer.cancel()
      state.pause.take()?.cancel()
      let clients = state.clients.values.compactMap(\.registration)
      state.clients = [:]
      return clients + [state.listening.take()].compactMap(\.self)
    }
    for registration in registrations { registration.cancel() }
  }

  // MARK: Letting in

  /// How many are let in before others have their turn.
  private static let most = 32

  private func letIn() {
    for _ in 0..<Self.most {
      do throws(SystemError) {
        guard let client = try door.listener.accept() else { break }
        if state.withValue({ $0.isShort.take() }) { tell(.shortageIsOver) }
        add(client)
      } catch {
        // The client waits still, so this would be tried again and again at once.
        pause(error)
        break
      }
    }
    setAlarm()
  }

  private func pause(_ error: SystemError) {
    if state.withValue({ !$0.isShort }) { tell(.shortage(error)) }
    state.withValue { $0.listening.take() }?.cancel()
    let timer = dispatcher.foreground.after(.seconds(1), label: "status pause") {
      let goesOn = self.state.withValue { state in
        state.pause = nil
        return !state.isStopped
      }
      if goesOn { self.listen() }
    }
    state.withValue { state in
      state.isShort = true
      state.pause = timer
    }
  }

  private func add(_ descriptor: consuming Descriptor) {
    let connection = StatusClient.Connection(descriptor)
    let number = connection.descriptor.number
    let now = dispatcher.now
    let limit = state.withValue { state -> Int? in
      guard state.clients.count < state.limits.clients else { return state.limits.clients }
      state.clients[number] = StatusClient(connection, at: now)
      return nil
    }
    guard let limit else { return register(number, for: .readable) }
    let refusal = RequestRefusal(
      reason: "there are \(limit) clients already, which is the limit; try again later")
    let text = refusal.reply.text + "\n".utf8
    // Into an empty buffer. Who does not take it does not want to know.
    unsafe text.withUnsafeBytes { bytes in
      _ = unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  // MARK: Serving

  private func register(_ number: Int32, for interest: Readiness) {
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
    // Taken out, because an answer may ask how many there are.
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
    // Cancelled before the descriptor is closed, whose number may be another's then.
    state.withValue { $0.clients[number]?.registration }?.cancel()
    state.withValue { $0.clients[number] = nil }
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

  /// Sends those away who do nothing. Nothing is set while there is no client.
  private func setAlarm() {
    state.withValue { state in
      guard state.alarm == nil, !state.isStopped,
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

extension Bool {
  /// Its value; false from then on.
  fileprivate mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
