extension EventDispatcher {
  /// The deliveries of `signal` from now on, for code that awaits them:
  ///
  /// ```swift
  /// for await _ in try dispatcher.signals(.hangup) { reload() }
  /// ```
  ///
  /// - Throws: ``EventRefusal`` for a signal that cannot or must not be handled here. Then nothing has
  ///   changed.
  public func signals(
    _ signal: Signal, fileID: StaticString = #fileID, line: UInt = #line
  ) throws(EventRefusal) -> SignalSequence {
    try SignalSequence(signal, of: self, at: CallSite(fileID: fileID, line: line))
  }
}

/// The deliveries of a signal: each element is the number of deliveries since the element before.
///
/// The call that makes the sequence registers the handler, so no delivery is lost before the first element is
/// awaited. Deliveries add up while no Task awaits an element. One Task should iterate: with several, each
/// element goes to one of them.
///
/// The sequence ends when the dispatcher's shutdown ends, and when the awaiting Task is cancelled. The
/// handler is removed at that end, or when the sequence and its iterators are released.
public struct SignalSequence: AsyncSequence, Sendable {
  public typealias Element = Int
  public typealias Failure = Never

  private let comings: AsyncStream<Void>
  private let unreported: Unreported

  init(
    _ signal: Signal, of dispatcher: some EventDispatcher, at site: CallSite
  ) throws(EventRefusal) {
    let (comings, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let unreported = Unreported()
    let end = End(continuation)
    let registration = try dispatcher.onSignal(signal, label: nil, at: site) { deliveries in
      unreported.deliveries.withLock { $0 += deliveries }
      end.continuation.yield()
    }
    continuation.onTermination = { _ in registration.cancel() }
    self.comings = comings
    self.unreported = unreported
  }

  /// The number of deliveries that no element has reported yet.
  fileprivate final class Unreported: Sendable {
    let deliveries = Locked(0)
  }

  /// The handler holds the only reference. When the handler is released, this ends the stream.
  private final class End: Sendable {
    let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(comings: comings.makeAsyncIterator(), unreported: unreported)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var comings: AsyncStream<Void>.Iterator
    fileprivate let unreported: Unreported

    /// How often the signal was delivered since the last element. Nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      while await comings.next(isolation: actor) != nil {
        let deliveries = unreported.deliveries.withLock { count in
          let all = count
          count = 0
          return all
        }
        // Zero if the element before has reported these deliveries as well.
        if deliveries > 0 { return deliveries }
      }
      return nil
    }

    public mutating func next() async -> Int? { await next(isolation: #isolation) }
  }
}
