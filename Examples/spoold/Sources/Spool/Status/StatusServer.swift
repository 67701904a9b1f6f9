internal import Glibc
public import TaskDispatch

/// Answers clients at a Unix socket: a line of JSON for each line. It makes replies on the foreground,
/// to which the state is confined; nothing here ever blocks.
public final class StatusServer: Sendable {
  /// The limits for clients.
  public struct Limits: Sendable, Hashable {
    /// How many clients there may be at a time. The next one is told that there are too many.
    public var clients: Int
    /// The most bytes of a request.
    public var request: Int
    /// The most bytes of a reply.
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

  struct State {
    var limits: Limits
    var clients: [Int32: StatusClient] = [:]
    var listening: Registration?
    var alarm: (time: DispatcherInstant, timer: TimerHandle)?
    var isShort = false
    var onNotice: (@Sendable (Notice) -> Void)?
    var answer: (@Sendable (StatusRequest) -> JSON)?
  }

  /// Owns the socket, and closes it with the server.
  private final class Door: Sendable {
    let listener: Listener
    init(_ listener: consuming Listener) { self.listener = listener }
  }

  let dispatcher: any EventDispatcher
  private let door: Door
  let state: Confined<State>

  public init(
    _ listener: consuming Listener, dispatcher: any EventDispatcher, limits: Limits = Limits()
  ) {
    self.dispatcher = dispatcher
    door = Door(listener)
    state = Confined(State(limits: limits), to: dispatcher.foreground)
  }

  /// The descriptor at which clients arrive.
  var descriptor: Int32 { door.listener.descriptor.number }

  /// How many clients there are. Call it on the foreground.
  public var clientCount: Int { state.withValue { $0.clients.count } }

  /// Takes over other limits, for later clients and requests. Call it on the foreground.
  public func apply(_ limits: Limits) { state.withValue { $0.limits = limits } }

  /// Begins to accept clients. Call it on the foreground, once.
  ///
  /// - Parameters:
  ///   - onNotice: Told when no client can be accepted for a while, and when that is over.
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
    // The dispatcher refuses only if a shutdown has begun already.
    state.withValue { $0.listening = listening }
  }

  private func tell(_ notice: Notice) { state.withValue({ $0.onNotice })?(notice) }

  /// Closes all connections, once the dispatcher has shut down. Any thread may call it, once.
  public func finish() { _ = state.takeValue() }

  // MARK: Accepting

  /// How many clients are accepted before other foreground tasks run.
  private static let most = 32

  private func letIn() {
    for _ in 0..<Self.most {
      do throws(SystemError) {
        guard let client = try door.listener.accept() else { break }
        if state.withValue({ $0.isShort.take() }) { tell(.shortageIsOver) }
        add(client)
      } catch {
        // The client still waits, so the next attempt would come at once, again and again.
        pause(error)
        break
      }
    }
    setAlarm()
  }

  private func pause(_ error: SystemError) {
    if state.withValue({ !$0.isShort }) { tell(.shortage(error)) }
    state.withValue { $0.listening.take() }?.cancel()
    state.withValue { $0.isShort = true }
    dispatcher.foreground.after(.seconds(1), label: "status pause") { self.listen() }
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
    // The buffer is empty. If it does not take the text, the client gets none.
    unsafe text.withUnsafeBytes { bytes in
      _ = unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }
}

extension Bool {
  /// Returns the value, and sets it to false.
  fileprivate mutating func take() -> Bool {
    defer { self = false }
    return self
  }
}
