import Measuring

extension Contestant {
  /// The limit of an empty task: its closure is made, called and released on one thread, 1024 at a
  /// time, and never given to another thread.
  static var floor: Contestant {
    // In a struct, since Swift wraps a closure that is itself an element in another closure.
    struct Held { let body: @Sendable () -> Void }

    return Contestant(limit) {
      let (batches, batch) = (100, 1024)
      let counter = Counter()
      defer { counter.free() }
      let rounds = counter.count  // This is 0, but the compiler does not know that.
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
