import Dispatch
import Episodes
import Oracle
import TaskDispatch
import TaskDispatchTesting
import Testing
import UVDispatch

@Suite("An episode")
struct EpisodeTests {
  @Test("has no fault in any order that is tried", arguments: 0..<30)
  func isGood(round: Int) throws {
    let episode = Episode(ofRound: round, seed: 1, plant: nil)

    let result = try explore(
      .random(seed: UInt64(round), schedules: 20), budget: .init(timersAhead: .max),
      episode.scenario(width: 3))

    #expect(result.outcomes == [Episode.Ending()])
  }

  @Test(
    "with a mistake in it is good in the order that the fake prefers, and not in all",
    arguments: Episode.Plant.allCases)
  func isBad(plant: Episode.Plant) throws {
    var endings: [Episode.Ending] = []
    for round in 0..<10 {
      let scenario = Episode(ofRound: round, seed: 1, plant: plant).scenario(width: 3)
      let first = try explore(
        .bounded(deviations: 0), budget: .init(timersAhead: .max), scenario)
      let others = try explore(
        .random(seed: 1, schedules: 20), budget: .init(timersAhead: .max), scenario)
      #expect(first.outcomes == [Episode.Ending()])
      endings += others.outcomes
    }

    #expect(endings.contains { !$0.faults.isEmpty })
    #expect(endings.allSatisfy { $0.brokenRules.isEmpty })
  }

  @Test("is the same program for the same seed, and another for another")
  func program() {
    func program(_ seed: UInt64, _ round: Int, _ plant: Episode.Plant? = nil) -> [String] {
      Episode(ofRound: round, seed: seed, plant: plant).program
    }
    for seed in UInt64(1)...20 {
      #expect(program(seed, 3) == program(seed, 3))
      #expect(program(seed, 3, .search) != program(seed, 3))
    }
    #expect(Set((UInt64(1)...20).map { program($0, 3) }).count > 15)
    #expect(Set((0..<20).map { program(7, $0) }).count > 15)
  }

  @Test("tells when the dispatcher lets it stand still")
  func standsStill() {
    let dispatcher = RecordingDispatcher()

    let ending = Episode(ofRound: 0, seed: 1, plant: nil).run(
      on: dispatcher, width: 3, takesTime: false, violations: ViolationLog()
    ) {}.ending

    #expect(ending.faults == ["1 tasks have not ended"])
  }
}

@Suite("A history of an episode")
struct ReplayTests {
  /// A history that an observer of threads recorded.
  private func recorded(seed: UInt64, _ plant: Episode.Plant?) throws -> History {
    let recorder = Recorder()
    let dispatcher = try UVDispatcher(.init(backgroundWidth: 3, observer: recorder))
    let width = dispatcher.effectiveBackgroundWidth
    let ending = Episode(ofRound: 0, seed: seed, plant: plant).run(
      on: dispatcher, width: width, takesTime: true, violations: ViolationLog()
    ) { dispatcher.run() }.ending
    return History(
      seed: seed, plant: plant, round: 0, width: width, ending: ending, isWhole: true,
      events: recorder.history)
  }

  @Test("of threads ends in the fake as it did, be it well or not", arguments: 1...25)
  func threads(seed: UInt64) throws {
    for plant in [nil] + Episode.Plant.allCases {
      let history = try recorded(seed: seed, plant)

      let replay = try History([UInt8](history.text.utf8), from: "a file").replay(explains: false)

      #expect(
        replay.ending == history.ending, "\(plant as Any), order: \(replay.difference as Any)")
      #expect(replay.isSame == !history.ending.isGood)
      #expect(replay.followed <= history.steps)
    }
  }

  /// A failed history, in an order that the fake has found by itself. So there is one, whatever order
  /// threads have today.
  private func failed(_ plant: Episode.Plant) throws -> History {
    let recorder = Recorder()
    for round in 0..<100 {
      let episode = Episode(ofRound: round, seed: 5, plant: plant)
      let found = try explore(
        .random(seed: 3, schedules: 20), budget: .init(timersAhead: .max),
        episode.scenario(width: 3))
      guard let ending = found.outcomes.first(where: { !$0.isGood }) else { continue }
      let token = try #require(found.outcomes.witness(of: ending)?.token)
      _ = try explore(
        configuration: .init(observer: recorder), budget: .init(timersAhead: .max),
        replaying: token, episode.scenario(width: 3))
      return History(
        seed: 5, plant: plant, round: round, width: 3, ending: ending, isWhole: true,
        events: recorder.history)
    }
    throw NoneFailed()
  }

  private struct NoneFailed: Error {}

  @Test(
    "that failed is had again step by step, with what matters about it",
    arguments: Episode.Plant.allCases)
  func failure(plant: Episode.Plant) throws {
    let history = try failed(plant)

    let replay = try history.replay()

    #expect(replay.isSame)
    #expect(replay.difference == nil)
    #expect(replay.followed == history.steps)
    let cause = try #require(replay.cause)
    #expect((1...2).contains(cause.facts.count), "\(cause.facts)")
  }

  @Test("is explained whatever other threads replay at that time")
  func sideBySide() throws {
    let histories = try Episode.Plant.allCases.map { try failed($0) }

    DispatchQueue.concurrentPerform(iterations: 200) { number in
      let history = histories[number % histories.count]
      do { #expect(try history.replay().cause != nil) } catch { Issue.record("\(error)") }
    }
  }

  @Test("whose order is another does not end in the same failure, and says where it parts")
  func otherOrder() throws {
    let history = try failed(.search)
    var other = history
    // The order that the fake prefers.
    other.token = "order1:"
    #expect(try !other.replay().isSame)

    var swapped = history
    var names = swapped.token.dropFirst(7).split(separator: ";")
    names.swapAt(0, names.count - 1)
    swapped.token = "order1:" + names.joined(separator: ";")
    let replay = try swapped.replay()
    #expect(replay.followed == 0)
    #expect(replay.difference?.now == "begin")
    #expect(replay.difference?.then?.contains("%") == false)
  }

  @Test("that ended well is no failure to be had again")
  func good() throws {
    var history = try failed(.stock)
    history.plant = nil
    history.ending = .init()

    let replay = try history.replay()

    #expect(replay.ending.isGood)
    #expect(!replay.isSame)
    #expect(replay.cause == nil)
  }

  @Test("of a dispatcher that broke a rule is not had again: the fake keeps them")
  func brokenRule() throws {
    var history = try failed(.stock)
    history.plant = nil
    history.ending = .init(brokenRules: [Rule.inOrder.title])

    let replay = try history.replay()

    #expect(!replay.isSame)
    #expect(replay.ending.isGood)
  }
}
