import TaskDispatch
import TestSupport
import Testing

@Suite("A waker of a group")
struct GroupWakerTests {
  private final class Owner {}

  @Test("is registered, although one of an object that is gone had the same address")
  func addressAgain() {
    let group = WorkGroup()
    group.enter()
    let addresses = registerOfObjectsThatGo(group)
    // These keep all memory but that which was freed just now.
    var others: [Owner] = []
    var owner: Owner?
    while owner == nil, others.count < 100_000 {
      let other = Owner()
      if addresses.contains(ObjectIdentifier(other)) { owner = other } else { others.append(other) }
    }
    guard let owner else {
      // A sanitizer keeps memory that was freed. There is no verdict then.
      #expect(ThisProcess.isSanitized, "no object has got one of the addresses again")
      return
    }
    let wakes = Counter()

    for _ in 0..<2 {
      let waits = group.whenEmpty(wake: wakes.increment, by: owner, checks: false, since: 0)
      #expect(waits)
    }
    group.leave()

    #expect(wakes.value == 1)
  }

  /// - Returns: The addresses that the objects had.
  @inline(never)
  private func registerOfObjectsThatGo(_ group: WorkGroup) -> Set<ObjectIdentifier> {
    let owners = (0..<256).map { _ in Owner() }
    for owner in owners {
      let waits = group.whenEmpty(wake: {}, by: owner, checks: false, since: 0)
      #expect(waits)
    }
    return Set(owners.map(ObjectIdentifier.init))
  }
}
