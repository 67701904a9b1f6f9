internal import Glibc
internal import TaskDispatch

/// One who has connected to the status socket. On the foreground.
///
/// A line is read, answered, and the answer sent, before the next is looked at. So a client that
/// sends without reading fills its own buffers and nobody else's.
struct StatusClient {
  /// Owns the connection: a struct that can be copied cannot.
  final class Connection: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    deinit {
      // A child that has been started and is no other program yet has it too, and closing it here would
      // leave the client waiting.
      shutdown(descriptor.number, Int32(SHUT_RDWR))
    }
  }

  let connection: Connection
  var registration: Registration?
  /// When it last sent something, or took something.
  var active: DispatcherInstant
  private(set) var interest = Readiness.readable
  private var input: [UInt8] = []
  private var output: ArraySlice<UInt8> = []
  /// Whether it sends nothing more, or nothing of it is listened to any more.
  private var isDeaf = false

  init(_ connection: Connection, at now: DispatcherInstant) {
    self.connection = connection
    active = now
  }

  /// Whether there is nothing left to do for it.
  private var isOver: Bool { isDeaf && output.isEmpty && input.isEmpty }

  /// Takes what it has sent, and gives it what it is owed, as far as neither has to wait.
  ///
  /// - Parameter answer: The reply to a line, without its end.
  /// - Returns: Whether it stays.
  mutating func serve(
    _ limits: StatusServer.Limits, at now: DispatcherInstant,
    answer: (ArraySlice<UInt8>) -> [UInt8]
  ) -> Bool {
    do throws(SystemError) {
      try send(at: now)
      if output.isEmpty, !isDeaf { try receive(limits, at: now) }
      while output.isEmpty, let line = nextLine(limits) {
        output = (answer(line) + "\n".utf8)[...]
        try send(at: now)
      }
      if output.isEmpty, input.count > limits.request {
        isDeaf = true
        input = []
        let refusal = RequestRefusal(
          reason: "a request has at most \(limits.request) bytes; this one is not listened to")
        output = (refusal.reply.text + "\n".utf8)[...]
        try send(at: now)
      }
    } catch {
      return false
    }
    interest = output.isEmpty ? .readable : .writable
    return !isOver
  }

  private mutating func receive(
    _ limits: StatusServer.Limits, at now: DispatcherInstant
  ) throws(SystemError) {
    var buffer = [UInt8](repeating: 0, count: limits.request)
    do throws(SystemError) {
      let count = try connection.descriptor.read(into: &buffer)
      active = now
      input += buffer[..<count]
      if count == 0 { isDeaf = true }
    } catch {
      guard error.code == EAGAIN else { throw error }
    }
  }

  private mutating func send(at now: DispatcherInstant) throws(SystemError) {
    while !output.isEmpty {
      do throws(SystemError) {
        let rest = output
        let count = try checked("send") {
          unsafe rest.withUnsafeBytes { bytes in
            unsafe Glibc.send(
              connection.descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
          }
        }
        output = output.dropFirst(count)
        active = now
      } catch {
        guard error.code == EAGAIN else { throw error }
        return
      }
    }
  }

  /// The next request; what stands behind the last end of a line counts as one once nothing more
  /// comes.
  private mutating func nextLine(_ limits: StatusServer.Limits) -> ArraySlice<UInt8>? {
    guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else {
      guard isDeaf, !input.isEmpty, input.count <= limits.request else { return nil }
      defer { input = [] }
      return input[...]
    }
    guard end <= limits.request else { return nil }
    defer { input.removeFirst(end + 1) }
    return input[..<end]
  }
}
