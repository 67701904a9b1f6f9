import Oracle

/// An object whose end runs user code: a body captures, returns or throws it.
final class Token: Sendable {
  private let tangle: Tangle
  private let kind: Place.Kind
  private let ticket: Ticket?
  private let asked: Int?
  private let mark: Int
  private let seed: UInt64
  private let generation: Int

  /// - Parameter asked: The queue of the body that makes the token for its reply, `ticket`.
  init(
    _ tangle: Tangle, _ kind: Place.Kind, _ ticket: Ticket?, of asked: Int? = nil, mark: Int,
    seed: UInt64, generation: Int
  ) {
    self.tangle = tangle
    self.kind = kind
    self.ticket = ticket
    self.asked = asked
    self.mark = mark
    self.seed = seed
    self.generation = generation
    tangle.liveTokens.add(1)
  }

  deinit {
    tangle.totals.deinits.add()
    tangle.letGo(kind, ticket, of: asked, mark: mark) { [tangle, seed, generation] in
      if !tangle.leavesOut(.deinits) {
        tangle.act(Dice.mixed(seed ^ 0x7), generation: generation + 1)
      }
    }
    tangle.liveTokens.add(-1)
  }

  /// Keeps the compiler from releasing the token early.
  @inline(never) func touch() {}
}

/// The error that bodies throw.
struct Mishap: Error {
  let token: Token
}
