import Measuring

extension Contestant {
  /// The limit of an empty task: its closure is made, called and let go of on one thread, 1024 at a
  /// time, and handed to nobody.
  static var floor: Contestant {
    // In a struct: a closure that is an element itself is wrapped in another.
    struct Held { let body: @Sendable () -> Void }

    return Contestant(limit) {
      let (batches, batch) = (100, 1024)
      let counter = Counter()
      defer { counter.free() }
      let rounds = counter.count  // Nothing, and no compiler knows it.
      var held: [Held] = []
      held.reserveCapacity(batch)
      return timed {
        for _ in 0..<batches {
          for _ in 0..<batch { held.append(Held { work(rounds, counter) }) }
          for one in held { one.body() }
          held.removeAll(keepingCapacity: true)
        }
      } / Double(batches * batch)
    }
  }
}
