internal import CHiredis
internal import UVDispatch

/// A `redisAsyncContext` on a loop. Only this file speaks C.
///
/// It belongs to the loop's thread, as all of hiredis does. The loop's thread makes its callbacks, but
/// not inside a task, or inside ``cut()`` and ``disconnect()``.
///
/// hiredis is given numbers to keep, and no objects, so that nothing dangles if it calls back twice or
/// never. This object is the only one that it holds, from the connecting until the end.
@safe final class HiredisContext {
  /// Nil before it connects, and after the end, when hiredis frees it.
  private var context: UnsafeMutablePointer<redisAsyncContext>?
  private var onReply: (_ number: UInt, _ reply: RedisReply) -> Void = { _, _ in }
  private var onEnd: (_ error: String?) -> Void = { _ in }

  deinit { precondition(unsafe context == nil, "hiredis holds an object that is gone") }

  /// Begins to connect. Call it once.
  ///
  /// - Parameters:
  ///   - onReply: Called for a reply to the command with that number.
  ///   - onEnd: Called once, as the last callback, when the context has closed its handle. The text is
  ///     what hiredis says if the end was an error.
  /// - Returns: What is wrong already, else nil. If there is an error, nothing is left on the loop, and
  ///   nothing is called.
  func connect(
    to address: RedisAddress, on loop: OpaqueLoop,
    onReply: @escaping (_ number: UInt, _ reply: RedisReply) -> Void,
    onEnd: @escaping (_ error: String?) -> Void
  ) -> String? {
    let made =
      switch address {
      case .unix(let path): unsafe redisAsyncConnectUnix(path)
      case .tcp(let host, let port): unsafe redisAsyncConnect(host, CInt(port))
      }
    guard let made = unsafe made else { return "there is no memory left" }
    if let error = unsafe Self.error(of: made) {
      unsafe redisAsyncFree(made)
      return error
    }
    let retained = unsafe Unmanaged.passRetained(self)  // +1, see `ended`
    let status = unsafe chiredis_attach(made, loop.pointer, retained.toOpaque()) { context, _ in
      unsafe HiredisContext.ended(context!)
    }
    guard status == REDIS_OK else {
      unsafe retained.release()
      unsafe redisAsyncFree(made)
      return "libuv refuses to watch its socket"
    }
    unsafe context = made
    self.onReply = onReply
    self.onEnd = onEnd
    return nil
  }

  /// Sends a command. Its replies come with its number.
  ///
  /// - Returns: False if hiredis takes no more commands.
  func send(_ command: RedisCommand, number: UInt) -> Bool {
    unsafe send(command, UnsafeMutableRawPointer(bitPattern: number)) { context, reply, number in
      unsafe HiredisContext.replied(context, reply, number)
    }
  }

  /// Sends a command that gets no reply of its own.
  func sendWithoutReply(_ command: RedisCommand) { _ = unsafe send(command, nil, nil) }

  private func send(
    _ command: RedisCommand, _ number: UnsafeMutableRawPointer?, _ callback: ReplyCallback?
  ) -> Bool {
    guard let context = unsafe context else { return false }
    return unsafe command.withArguments { arguments, lengths in
      let count = CInt(command.lengths.count)
      let status = unsafe redisAsyncCommandArgv(
        context, callback, number, count, arguments, lengths)
      return status == REDIS_OK
    }
  }

  /// Ends once all replies have arrived.
  func disconnect() {
    if let context = unsafe context { unsafe redisAsyncDisconnect(context) }
  }

  /// Ends before it returns.
  func cut() {
    if let context = unsafe context { unsafe redisAsyncFree(context) }
  }

  // MARK: What hiredis calls

  private typealias ReplyCallback =
    @convention(c) (
      UnsafeMutablePointer<redisAsyncContext>?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Void

  private static func replied(
    _ context: UnsafeMutablePointer<redisAsyncContext>?, _ reply: UnsafeMutableRawPointer?,
    _ number: UnsafeMutableRawPointer?
  ) {
    // There is no reply. The end tells that to all waiting closures.
    guard let data = unsafe context?.pointee.data, let reply = unsafe reply else { return }
    let mine = unsafe Unmanaged<HiredisContext>.fromOpaque(data).takeUnretainedValue()
    let read = unsafe RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
    mine.onReply(UInt(bitPattern: number), read)
  }

  private static func ended(_ context: UnsafePointer<redisAsyncContext>) {
    let data = unsafe context.pointee.data!
    let mine = unsafe Unmanaged<HiredisContext>.fromOpaque(data).takeRetainedValue()  // -1
    let onEnd = mine.onEnd
    unsafe mine.context = nil
    mine.onReply = { _, _ in }
    mine.onEnd = { _ in }
    unsafe onEnd(error(of: context))
  }

  private static func error(of context: UnsafePointer<redisAsyncContext>) -> String? {
    guard unsafe context.pointee.err != 0 else { return nil }
    return unsafe String(cString: context.pointee.errstr)
  }
}

extension RedisCommand {
  /// The arguments as C has them. The pointers are valid during the call.
  fileprivate func withArguments<Result>(
    _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>, UnsafePointer<Int>) -> Result
  ) -> Result {
    unsafe bytes.withUnsafeBytes { bytes in
      // An argument of no bytes still needs a valid pointer.
      let base = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
      var offset = 0
      var arguments = unsafe lengths.map { length -> UnsafePointer<CChar>? in
        defer { offset += length }
        return unsafe (base + offset).assumingMemoryBound(to: CChar.self)
      }
      return unsafe arguments.withUnsafeMutableBufferPointer { arguments in
        unsafe body(arguments.baseAddress!, lengths)
      }
    }
  }
}

extension RedisReply {
  /// Copies the reply, since hiredis frees its own as soon as the callback has returned.
  fileprivate init(_ reply: redisReply) {
    var bytes: [UInt8] {
      unsafe Array(UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)))
    }
    switch unsafe reply.type {
    case REDIS_REPLY_STATUS: self = .status(String(decoding: bytes, as: UTF8.self))
    case REDIS_REPLY_ERROR: self = .refusal(String(decoding: bytes, as: UTF8.self))
    case REDIS_REPLY_INTEGER: self = unsafe .integer(reply.integer)
    case REDIS_REPLY_NIL: self = .null
    case REDIS_REPLY_ARRAY:
      self = unsafe .array(
        (0..<Int(reply.elements)).map { unsafe RedisReply(reply.element[$0]!.pointee) })
    default: self = .bytes(bytes)
    }
  }
}
