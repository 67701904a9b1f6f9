import TaskDispatch
import Testing

import struct RandomTesting.Dice

@testable import TaskDispatchTesting
@testable import UVDispatch

@Suite("Dispatchers that share the threads of a pool, as a value")
struct PoolSharesTests {
  private let shares = PoolShares()

  private let made = Made()

  /// The shares that a test has made. What a share waits for would keep it alive if it stayed short.
  private final class Made {
    var shares: [PoolShare] = []
    /// Shares whose calls refer to each other.
    var circles: [Box<[PoolShare]>] = []

    deinit {
      for share in shares { share.leave() }
      for circle in circles { circle.value = [] }
    }
  }

  private func share(threads: Int = 4, called: Box<Int> = Box(0)) -> PoolShare {
    let share = PoolShare(of: shares, threads: threads) { { called.increment() } }
    made.shares.append(share)
    return share
  }

  @Test("leave one for libuv's other users, together", arguments: [1, 2, 3, 4, 9])
  func oneIsLeft(threads: Int) {
    let (first, second) = (share(threads: threads), share(threads: threads))
    var runs = 0
    while first.begin() { runs += 1 }
    #expect(runs == max(1, threads - 1))
    #expect(!second.begin())
    #expect(!second.beginAnother())
    #expect(shares.isAwaited)
  }

  @Test("leave one for each that has used its background and runs nothing")
  func oneForEach() {
    let (first, second, third) = (share(), share(), share())
    #expect(second.begin())
    second.end()
    #expect(first.begin())
    #expect(first.begin())
    #expect(!first.begin())
    #expect(!shares.isAwaited, "one that runs something waits for nothing")
    // No thread is kept for a dispatcher that has not used its background, but it may take the one that is
    // left.
    #expect(third.begin())
    #expect(!second.begin())
    #expect(shares.isAwaited)
  }

  @Test("keep no more than half of the threads for those that run nothing", arguments: 2...9)
  func half(threads: Int) {
    let idle = (0..<10).map { _ in share(threads: threads) }
    for share in idle {
      #expect(share.begin())
      share.end()
    }
    let busy = share(threads: threads)
    var runs = 0
    while busy.begin() { runs += 1 }
    #expect(runs == max(1, threads - 1 - (threads - 1) / 2))
  }

  @Test("let the first run of each start, however many there are")
  func many() {
    let all = (0..<6).map { _ in share() }
    for share in all {
      #expect(share.begin())
      share.end()
    }
    for share in all.prefix(3) { #expect(share.begin()) }
    #expect(!all[3].begin())
  }

  @Test("have a spare one for those that run nothing and have blocked threads, one at a time")
  func spare() {
    let called = (0..<2).map { _ in Box(0) }
    let (first, second, third) = (share(), share(called: called[0]), share(called: called[1]))
    for _ in 0..<3 { #expect(first.begin()) }
    #expect(!third.begin())
    #expect(!second.begin())

    #expect(second.beginBlocking())
    shares.callThoseInShort()
    #expect(called.map(\.value) == [1, 0], "one before it is not urgent")
    #expect(second.begin())
    #expect(!second.begin())
    #expect(!third.beginBlocking(), "the second one has it")
    #expect(!third.begin())
    #expect(!first.beginBlocking())
    #expect(!first.begin(), "it runs something")

    second.end()
    #expect(!second.begin(), "the third one is next")
    shares.callThoseInShort()
    #expect(called.map(\.value) == [2, 1], "the third one has not taken it")
    #expect(third.begin())
    third.end()

    for share in [first, second, third] { share.endBlocking() }
    #expect(!second.begin(), "no thread is blocked any more")
    #expect(!third.begin())
  }

  @Test("have the spare one beside all others, also for one that goes on without end")
  func spareIsExtra() {
    let order = Box([Int]())
    let all = waiting(2, order: order)
    #expect(!all[0].beginBlocking())
    all[0].end()
    #expect(all[0].begin(), "on the spare thread")
    shares.callThoseInShort()
    #expect(order.value == [1], "it is not kept from the thread that it waits for")
    all[0].end()
    all[0].endBlocking()
    #expect(!all[0].begin())
    all[1].end()
    shares.callThoseInShort()
    #expect(order.value == [1, 0])
  }

  @Test("call the one that has waited longest, once, when a thread is free")
  func calls() {
    let called = (0..<3).map { _ in Box(0) }
    let first = share()
    let others = called.map { share(called: $0) }
    for _ in 0..<3 { #expect(first.begin()) }
    for other in others { for _ in 0..<2 { #expect(!other.begin()) } }
    shares.callThoseInShort()
    #expect(called.map(\.value) == [0, 0, 0])

    first.end()
    #expect(!first.begin(), "it is kept for those that run nothing")
    #expect(others[0].begin())
    shares.callThoseInShort()
    #expect(called.map(\.value) == [0, 0, 0], "no thread is left")
    first.end()
    shares.callThoseInShort()
    #expect(called.map(\.value) == [0, 1, 1], "none of them has taken it")
    #expect(!shares.isAwaited)
  }

  /// Dispatchers of which the first has the only thread, and the others wait. Each takes the thread when it is
  /// called.
  fileprivate func waiting(_ count: Int, order: Box<[Int]>) -> [PoolShare] {
    let all = Box([PoolShare]())
    made.circles.append(all)
    for index in 0..<count {
      let share = PoolShare(of: shares, threads: 2) {
        { if all.value[index].begin() { order.change { $0.append(index) } } }
      }
      made.shares.append(share)
      all.change { $0.append(share) }
    }
    #expect(all.value[0].begin())
    for other in all.value[1...] { #expect(!other.begin()) }
    return all.value
  }

  @Test("alternate: one that has given back its thread comes after those that wait")
  func turns() {
    let order = Box([Int]())
    let all = waiting(3, order: order)
    for turn in 0..<7 {
      let share = all[turn % 3]
      share.end()
      #expect(!share.begin(), "others wait")
      #expect(!share.beginAnother())
      shares.callThoseInShort()
    }
    #expect(order.value == [1, 2, 0, 1, 2, 0, 1])
  }

  @Test("keep the thread for one that was called until it has answered")
  func called() {
    let (second, third) = (Box<PoolShare?>(nil), share(threads: 2))
    let first = share(threads: 2)
    let early = Box<Bool?>(nil)
    second.value = PoolShare(of: shares, threads: 2) {
      {
        early.value = third.begin()
        #expect(second.value?.begin() == true)
      }
    }
    made.shares.append(second.value!)
    #expect(first.begin())
    #expect(second.value?.begin() == false)
    first.end()
    shares.callThoseInShort()
    #expect(early.value == false)
    second.value?.end()
    shares.callThoseInShort()
    #expect(third.begin())
    second.value = nil
  }

  @Test("call one again that was called in vain, because another one has taken the thread")
  func calledInVain() {
    let (answers, second) = (Box([Bool]()), Box<PoolShare?>(nil))
    let (first, third) = (share(), share())
    second.value = PoolShare(of: shares, threads: 4) {
      {
        if answers.value.isEmpty { #expect(third.begin(), "its first run comes before others") }
        answers.change { $0.append(second.value?.begin() == true) }
      }
    }
    made.shares.append(second.value!)
    #expect(second.value?.begin() == true)
    while first.begin() {}
    #expect(second.value?.begin() == false)
    first.end()
    shares.callThoseInShort()
    #expect(answers.value == [false])
    third.end()
    third.leave()
    #expect(answers.value == [false, true])
    second.value = nil
  }

  @Test("keep a dispatcher that is short, and no other")
  func kept() {
    let object = Box<Latch?>(nil)
    weak var seen: Latch?
    let first = share(threads: 2)
    let second = PoolShare(of: shares, threads: 2) {
      let held = object.value
      return { withExtendedLifetime(held) {} }
    }
    made.shares.append(second)
    func turn(_ body: () -> Void) {
      object.value = Latch()
      seen = object.value
      body()
      object.value = nil
    }

    #expect(first.begin())
    turn { #expect(!second.begin()) }
    #expect(seen != nil)
    first.end()
    #expect(second.begin())
    #expect(seen == nil, "it has its thread")
    second.end()

    #expect(first.begin())
    turn { #expect(!second.begin()) }
    first.end()
    shares.callThoseInShort()
    #expect(seen == nil, "it was called, and did not take the thread")
  }

  @Test("keep nothing for one that has left, and call those that may have its thread")
  func leaves() {
    let called = Box(0)
    let (first, second) = (share(called: called), share())
    #expect(second.begin())
    for _ in 0..<2 { #expect(first.begin()) }
    second.leave()
    second.end()
    second.leave()
    #expect(first.begin())
    #expect(!first.begin())
    let third = share()
    #expect(!third.begin())
    third.leave()
    #expect(!shares.isAwaited)
    #expect(called.value == 0)
    first.end()
    #expect(first.begin())
  }

  @Test("let go of many that were short, one after the other: none in the release of another")
  func letGo() {
    final class Dispatcher: Sendable {
      let share: PoolShare
      let depth: Box<Int>
      let deepest: Box<Int>

      init(_ share: PoolShare, _ depth: Box<Int>, _ deepest: Box<Int>) {
        (self.share, self.depth, self.deepest) = (share, depth, deepest)
      }

      deinit {
        _ = depth.increment()
        deepest.value = max(deepest.value, depth.value)
        share.leave()
        depth.value -= 1
      }
    }
    let (count, depth, deepest, ended) = (1_000, Box(0), Box(0), Box(0))
    let first = share(threads: 2)
    #expect(first.begin())
    for _ in 0..<count {
      let held = Box<Dispatcher?>(nil)
      let other = PoolShare(of: shares, threads: 2) {
        let dispatcher = held.value
        return { withExtendedLifetime(dispatcher) { _ = ended.increment() } }
      }
      held.value = Dispatcher(other, depth, deepest)
      #expect(!other.begin())
      held.value = nil
    }

    first.end()
    shares.callThoseInShort()

    #expect(ended.value == count)
    #expect(deepest.value == 1)
    #expect(!shares.isAwaited)
    #expect(!TaskContext.threadReleases)
  }

  @Test("look for the next one when one leaves that another thread calls")
  func leavesWhileCalled() {
    let (first, second, called) = (share(threads: 2), Box<PoolShare?>(nil), Box(0))
    let third = share(threads: 2, called: called)
    second.value = PoolShare(of: shares, threads: 2) { { second.value?.leave() } }
    made.shares.append(second.value!)
    #expect(first.begin())
    #expect(second.value?.begin() == false)
    #expect(!third.begin())

    first.end()
    shares.callThoseInShort()

    #expect(called.value == 1)
    second.value = nil
  }

  @Test("look for the next one when one leaves that was called before")
  func leavesAfterACall() {
    let called = Box(0)
    let (first, second) = (share(threads: 3, called: called), share(threads: 3))
    while first.begin() {}
    #expect(second.begin() == false)
    first.end()
    shares.callThoseInShort()
    #expect(second.begin())
    second.end()
    #expect(first.begin() == false, "the other one is kept for the second")
    let before = called.value

    second.leave()

    #expect(called.value == before + 1)
  }

  /// What the shares should know, counted anew at each question.
  private struct Model {
    var runs: [Int]
    var hasUsed: [Bool]
    var blocked: [Int]
    var ownerOfSpare: Int?

    func mayStart(_ index: Int, of capacity: Int) -> Bool {
      let left = capacity - runs.reduce(0, +) - (ownerOfSpare == nil ? 1 : 0)
      if runs[index] == 0 { return left >= 0 || blocked[index] > 0 && ownerOfSpare == nil }
      let idle = runs.indices.count { $0 != index && hasUsed[$0] && runs[$0] == 0 }
      return left >= min(idle, capacity / 2)
    }
  }

  @Test("start what the rule lets start, and leave none short that may, in random programs")
  func random() {
    for seed in 0..<200 {
      var dice = Dice(seed: seed)
      let shares = PoolShares()
      let threads = 1 + dice.roll(6)
      let count = 1 + dice.roll(4)
      let short = Box(Set<Int>())
      let all = (0..<count).map { index in
        PoolShare(of: shares, threads: threads) { { short.change { _ = $0.remove(index) } } }
      }
      let made = Made()
      made.shares = all
      let capacity = max(1, threads - 1)
      var model = Model(
        runs: .init(repeating: 0, count: count), hasUsed: .init(repeating: false, count: count),
        blocked: .init(repeating: 0, count: count))
      for _ in 0..<100 {
        let index = dice.roll(count)
        if dice.once(in: 6) {
          model.blocked[index] += 1
          if all[index].beginBlocking() { all[index].callOthers() }
        } else if model.blocked[index] > 0, dice.once(in: 6) {
          model.blocked[index] -= 1
          all[index].endBlocking()
        } else if model.runs[index] > 0, dice.once(in: 2) {
          all[index].end()
          model.runs[index] -= 1
          if model.ownerOfSpare == index { model.ownerOfSpare = nil }
          short.change { _ = $0.remove(index) }
          shares.callThoseInShort()
        } else {
          model.hasUsed[index] = true
          let may = model.mayStart(index, of: capacity)
          #expect(all[index].begin() == may)
          if may {
            if model.runs.reduce(0, +) == capacity, model.ownerOfSpare == nil {
              model.ownerOfSpare = index
            }
            model.runs[index] += 1
          }
          short.change { if may { $0.remove(index) } else { $0.insert(index) } }
        }
        for index in short.value { #expect(!model.mayStart(index, of: capacity)) }
        #expect(shares.isAwaited == short.value.contains { model.runs[$0] == 0 })
      }
    }
  }
}

#if DEBUG
  extension PoolSharesTests {
    /// Debug builds count the dispatchers that are looked at.
    @Test("look at a few of those that are short, however many these are", arguments: [10, 1_000])
    func looks(count: Int) {
      let all = waiting(count, order: Box([]))
      let before = shares.looks
      for turn in 0..<100 {
        let share = all[turn % count]
        share.end()
        #expect(!share.begin())
        shares.callThoseInShort()
      }
      #expect(shares.looks - before <= 300)
    }
  }
#endif
