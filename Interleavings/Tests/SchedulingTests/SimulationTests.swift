import Scheduling
import Testing

/// Each test is a process of its own: a failing run leaves its threads behind.
@Suite("A simulation of threads")
struct SimulationTests {
  @Test("tries each order of two threads once, within the bound")
  func counts() async {
    await #expect(processExitsWith: .success) {
      for preemptions in 0...5 {
        let seen = Texts()
        let found = search(preemptions: preemptions) {
          let word = SimulatedWord(0)
          let order = Texts()
          for name in ["a", "b"] {
            Simulation.shared.spawn(named: name) {
              for _ in 0..<3 {
                word.store(1)
                order.text += name
              }
            }
          }
          Simulation.shared.quiesce()
          seen.all.append(order.text)
        }
        #expect(found.failure == nil)
        #expect(Set(seen.all) == orders(preemptions: preemptions))
      }
    }
  }

  @Test("finds an increment that is lost, by one preemption and by none")
  func increment() async {
    await #expect(processExitsWith: .success) {
      #expect(
        search(preemptions: 0) { incrementing(by: { $0.store($0.load() + 1) }) }.failure == nil)
      #expect(search(preemptions: 2) { incrementing(by: { $0.update { $0 + 1 } }) }.failure == nil)
      let found = search(preemptions: 1) { incrementing(by: { $0.store($0.load() + 1) }) }
      #expect(found.failure == "1 instead of 2")
    }
  }

  @Test("finds two locks that are taken in opposite orders")
  func deadlock() async {
    await #expect(processExitsWith: .success) {
      let found = search(preemptions: 1) {
        let (one, other) = (SimulatedLock(#fileID, 1), SimulatedLock(#fileID, 2))
        for (name, locks) in [("a", [one, other]), ("b", [other, one])] {
          Simulation.shared.spawn(named: name) {
            for lock in locks { Simulation.shared.lock(lock) }
            for lock in locks.reversed() { Simulation.shared.unlock(lock) }
          }
        }
      }
      #expect(found.failure?.hasPrefix("no thread can go on: ") == true)
    }
  }

  @Test("chooses what a generated program does, and chooses the same again")
  func generated() async {
    await #expect(processExitsWith: .success) {
      let drawn = Texts()
      func program() {
        let numbers = (0..<20).map { _ in Simulation.shared.choose(below: 5) }
        drawn.all.append("\(numbers)")
      }
      _ = Simulation.shared.run(Chooser(.random(seed: 7)), program)
      let choices = Simulation.shared.choices
      #expect(Set(choices).isSubset(of: 0..<5) && Set(choices).count > 1)
      _ = Simulation.shared.run(Chooser(.schedule(choices)), program)
      _ = Simulation.shared.run(Chooser(.first), program)
      #expect(drawn.all[0] == drawn.all[1])
      #expect(drawn.all[2] == "\(Array(repeating: 0, count: 20))")
      // A search stays with the simplest program.
      let found = search(preemptions: 2, program)
      #expect(found.failure == nil)
      #expect(Set(drawn.all[3...]) == [drawn.all[2]])
    }
  }

  @Test("gives the same run for the same choices")
  func replay() async {
    await #expect(processExitsWith: .success) {
      Simulation.shared.isTracing = true
      for seed in 0..<20 {
        _ = Simulation.shared.run(Chooser(.random(seed: UInt64(seed)))) { meeting() }
        let (steps, choices) = (
          Simulation.shared.steps.map(\.description), Simulation.shared.choices
        )
        _ = Simulation.shared.run(Chooser(.schedule(choices))) { meeting() }
        #expect(Simulation.shared.steps.map(\.description) == steps)
      }
    }
  }

  @Test("wakes a thread at its deadline, and not before another thread has run")
  func time() async {
    await #expect(processExitsWith: .success) {
      let run = Simulation.shared.run(Chooser(.first)) {
        let place = SimulatedPlace(#fileID, #line)
        let end = Simulation.shared.now + 5_000_000_000
        let isWoken = Simulation.shared.sleep(at: place, freeing: nil, until: end)
        if isWoken || Simulation.shared.now != end { Simulation.shared.fail("not at its deadline") }
      }
      #expect(run.failure == nil)
    }
  }

  // MARK: Classical bugs

  @Test("finds a waker that reads 'awake' just before the last look of the sleeper")
  func lateLook() async {
    await #expect(processExitsWith: .success) {
      let right = search(preemptions: 2) { sleeperAndWaker(looksAgain: true) }
      #expect(right.failure == nil)
      let found = search(preemptions: 1) { sleeperAndWaker(looksAgain: false) }
      #expect(found.failure?.contains("sleeper sleeps") == true)
    }
  }

  @Test("finds a close that races a wake")
  func closing() async {
    await #expect(processExitsWith: .success) {
      let right = search(preemptions: 2) { closerAndWaker(counts: true) }
      #expect(right.failure == nil)
      let found = search(preemptions: 1) { closerAndWaker(counts: false) }
      #expect(found.failure == "a wake after the close")
    }
  }
}

private final class Texts: @unchecked Sendable {
  var text = ""
  var all: [String] = []
}

/// Runs `program` by every schedule within the bound, until one fails.
private func search(
  preemptions: Int, _ program: @escaping () -> Void
) -> (schedules: Int, failure: String?) {
  // The first runs show what is shared. None of them may fail: they have no preemption.
  for _ in 0..<3 {
    if let failure = Simulation.shared.run(Chooser(.first), program).failure { return (0, failure) }
  }
  let bounds = Search.Bounds(preemptions: preemptions, detours: 99)
  var search = Deepening(to: bounds)
  var schedules = 0
  var growth = Simulation.shared.sharing.growth
  while let chooser = search.next {
    let run = Simulation.shared.run(chooser, program)
    schedules += 1
    if let failure = run.failure { return (schedules, failure) }
    if Simulation.shared.sharing.growth != growth {
      growth = Simulation.shared.sharing.growth
      search = Deepening(to: bounds)
    } else if !search.note(Simulation.shared) {
      return (schedules, "not the same twice")
    }
  }
  return (schedules, nil)
}

/// The orders of "aaa" and "bbb" in which one is left at most so often while it could go on.
private func orders(preemptions: Int) -> Set<String> {
  var found: Set<String> = []
  func extend(_ text: String, _ left: [Character: Int], _ budget: Int) {
    if left.values.allSatisfy({ $0 == 0 }) {
      found.insert(text)
      return
    }
    for next: Character in ["a", "b"] where left[next]! > 0 {
      let leaves = text.last.map { $0 != next && left[$0]! > 0 } ?? false
      if leaves, budget == 0 { continue }
      var rest = left
      rest[next]! -= 1
      extend(text + String(next), rest, budget - (leaves ? 1 : 0))
    }
  }
  extend("", ["a": 3, "b": 3], preemptions)
  return found
}

private func incrementing(by change: @escaping (SimulatedWord<Int>) -> Void) {
  let word = SimulatedWord(0)
  for name in ["a", "b"] { Simulation.shared.spawn(named: name) { change(word) } }
  Simulation.shared.quiesce()
  if word.load() != 2 { Simulation.shared.fail("\(word.load()) instead of 2") }
}

/// Two threads that meet at a lock, a word and a place.
private func meeting() {
  let (lock, word) = (SimulatedLock(#fileID, #line), SimulatedWord(0))
  let place = SimulatedPlace(#fileID, #line)
  Simulation.shared.spawn(named: "sleeper") {
    Simulation.shared.lock(lock)
    while word.load() == 0 { Simulation.shared.sleep(at: place, freeing: lock, until: nil) }
    Simulation.shared.unlock(lock)
  }
  Simulation.shared.spawn(named: "waker") {
    Simulation.shared.lock(lock)
    word.store(1)
    Simulation.shared.unlock(lock)
    Simulation.shared.wakeAll(at: place)
  }
}

/// A thread that goes to sleep when it finds nothing, and one that brings something.
private func sleeperAndWaker(looksAgain: Bool) {
  let (isFull, sleeps) = (SimulatedWord(false), SimulatedWord(false))
  let (isWoken, place) = (SimulatedWord(false), SimulatedPlace(#fileID, #line))
  Simulation.shared.spawn(named: "sleeper") {
    if isFull.load() { return }
    sleeps.store(true)
    // Between the first look and the store, the waker may have read that this thread is awake.
    if looksAgain, isFull.load() { return }
    while !isWoken.load() { Simulation.shared.sleep(at: place, freeing: nil, until: nil) }
  }
  Simulation.shared.spawn(named: "waker") {
    isFull.store(true)
    guard sleeps.load() else { return }
    isWoken.store(true)
    Simulation.shared.wakeAll(at: place)
  }
}

/// A thread that wakes a loop without its lock, and one that closes the loop.
private func closerAndWaker(counts: Bool) {
  let (isClosed, inFlight) = (SimulatedWord(false), SimulatedWord(0))
  let isOver = SimulatedWord(false)
  let (lock, place) = (SimulatedLock(#fileID, #line), SimulatedPlace(#fileID, #line))
  Simulation.shared.spawn(named: "waker") {
    Simulation.shared.lock(lock)
    let mayWake = !isOver.load()
    if mayWake, counts { inFlight.update { $0 + 1 } }
    Simulation.shared.unlock(lock)
    guard mayWake else { return }
    if isClosed.load() { Simulation.shared.fail("a wake after the close") }
    guard counts else { return }
    Simulation.shared.lock(lock)
    inFlight.update { $0 - 1 }
    Simulation.shared.unlock(lock)
    Simulation.shared.wakeAll(at: place)
  }
  Simulation.shared.spawn(named: "closer") {
    Simulation.shared.lock(lock)
    isOver.store(true)
    while counts, inFlight.load() > 0 {
      Simulation.shared.sleep(at: place, freeing: lock, until: nil)
    }
    Simulation.shared.unlock(lock)
    isClosed.store(true)
  }
}
