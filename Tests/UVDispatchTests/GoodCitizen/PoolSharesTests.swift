import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

@Suite("Dispatchers that share the threads of a pool, as a value")
struct PoolSharesTests {
  let shares = PoolShares()

  let made = Made()

  /// The shares that a test has made. What a share waits for would keep it alive if it stayed short.
  final class Made {
    var shares: [PoolShare] = []
    /// Shares whose calls refer to each other.
    var circles: [Box<[PoolShare]>] = []

    deinit {
      for share in shares { share.leave() }
      for circle in circles { circle.value = [] }
    }
  }

  func share(threads: Int = 4, called: Box<Int> = Box(0)) -> PoolShare {
    let share = PoolShare(of: shares, threads: threads) { { called.increment() } }
    made.shares.append(share)
    return share
  }

  /// Dispatchers of which the first has the only thread, and the others wait. Each takes the thread when it is
  /// called.
  func waiting(_ count: Int, order: Box<[Int]>) -> [PoolShare] {
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
