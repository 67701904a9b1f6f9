import TaskDispatch
import TestSupport
import Testing

@Suite("A waker of a group")
struct GroupWakerTests {
  private final class Owner {}

  @Test("is registered, although one of an object that is gone had the same address")
  func addressAgain() throws {
    let group = WorkGroup()
    group.enter()
    var gone: Owner? = Owner()
    let address = ObjectIdentifier(gone!)
    let isFirst = group.whenEmpty(wake: {}, by: gone!, checks: false, since: 0)
    #expect(isFirst)
    gone = nil
    // `malloc` hands out the memory that was freed last first. These keep all other memory.
    var others: [Owner] = []
    for _ in 0..<10_000 where others.last.map(ObjectIdentifier.init) != address {
      others.append(Owner())
    }
    let owner = try #require(others.last)
    try #require(ObjectIdentifier(owner) == address, "no object has got the address again")
    let wakes = Counter()

    for _ in 0..<2 {
      let waits = group.whenEmpty(wake: wakes.increment, by: owner, checks: false, since: 0)
      #expect(waits)
    }
    group.leave()

    #expect(wakes.value == 1)
  }
}
