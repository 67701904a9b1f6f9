import CPeers

/// A mailbox over `uv_async_send`, in C.
final class CMailbox: Subject, @unchecked Sendable {
  // A mutex in C guards it.
  private let mailbox: OpaquePointer

  init() { mailbox = cpeers_mailbox_start() }

  func submit(_ counter: Counter, _ rounds: Int) {
    cpeers_mailbox_post(mailbox, bodyInC, counter.pointer, rounds)
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    cpeers_mailbox_post(mailbox, closureInC, boxed(body), 0)
  }

}

/// Threads, a mutex and a condition, in C.
final class CPool: Subject, @unchecked Sendable {
  // A mutex in C guards it.
  private let pool: OpaquePointer

  init(width: Int) { pool = cpeers_pool_start(Int32(width)) }

  func submit(_ counter: Counter, _ rounds: Int) {
    cpeers_pool_submit(pool, bodyInC, counter.pointer, rounds)
  }
  func run(_ body: @escaping @Sendable () -> Void) {
    cpeers_pool_submit(pool, closureInC, boxed(body), 0)
  }

}

private let bodyInC: cpeers_body = { context, rounds in
  if rounds > 0 { _ = cpeers_burn(rounds) }
  cpeers_counter_advance(context!.assumingMemoryBound(to: cpeers_counter.self))
}

private final class Box {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func boxed(_ body: @escaping @Sendable () -> Void) -> UnsafeMutableRawPointer {
  Unmanaged.passRetained(Box(body)).toOpaque()
}

private let closureInC: cpeers_body = { context, _ in
  Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
}
