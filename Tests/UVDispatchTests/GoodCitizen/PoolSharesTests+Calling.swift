import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

/// Which dispatcher is called when a thread becomes free, and what happens to one that leaves.
extension PoolSharesTests {
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
