internal import Glibc
internal import TaskDispatch

/// A client that has connected to the status socket. Use it on the foreground.
///
/// One line is read and answered, and its answer sent, before the next line is looked at. So a client
/// that sends without reading fills only its own buffers.
struct StatusClient {
  /// Owns the connection. A struct that can be copied cannot own it.
  final class Connection: Sendable {
    let descriptor: Descriptor
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    deinit {
      // A child process that was forked and has not executed its program yet has the connection open as
      // well. Closing the descriptor here would not end the connection, and the client would wait.
      shutdown(descriptor.number, Int32(SHUT_RDWR))
    }
  }

  let connection: Connection
  var registration: Registration?
  /// When the client last sent or took something.
  var active: DispatcherInstant
  private(set) var interest = Readiness.readable
  private var input: [UInt8] = []
  private var output: ArraySlice<UInt8> = []
  /// Whether the client sends nothing more, or what it sends is not read any more.
  private var isDeaf = false

  init(_ connection: Connection, at now: DispatcherInstant) {
    self.connection = connection
    active = now
  }

  /// Whether there is nothing left to do for the client.
  private var isOver: Bool { isDeaf && output.isEmpty && input.isEmpty }

  /// Reads what the client has sent, and sends it its answers, as far as neither blocks.
  ///
  /// - Parameter answer: Returns the reply to a line, without its end.
  /// - Returns: Whether the client stays.
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

  /// The next request. When the client sends nothing more, what stands behind the last line end counts
  /// as a request, too.
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
