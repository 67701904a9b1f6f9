import TaskDispatchTesting
import Testing

@testable import TaskDispatch

/// A thread that waits for a group asks a dispatcher that knows what is in the group.
@Suite("The dispatcher that a group asks")
struct GroupDispatcherTests {
  private let group = WorkGroup()

  @Test("is the last that has come to have members in it, whatever else is in")
  func last() {
    let (first, second) = (RecordingDispatcher(), RecordingDispatcher())
    #expect(group.dispatcher == nil)
    for (dispatcher, last) in [(first, first), (second, second), (first, second), (second, second)]
    {
      group.enter(for: dispatcher)
      #expect(group.dispatcher === last)
    }
    group.enter()
    group.notify(on: first.foreground) {}
    #expect(group.dispatcher === second)
    for _ in 0..<4 { group.leaveAsMember().emptied?.tell() }
    #expect(group.dispatcher === first, "no member is left, but its notification")
    group.enter(for: second)
    #expect(group.dispatcher === second)
    group.leaveAsMember().emptied?.tell()
    group.leave()
  }

  @Test("is that of the calling body, if that has members in it")
  func ofBody() throws {
    let (first, second) = (RecordingDispatcher(), RecordingDispatcher())
    for dispatcher in [first, second] { group.enter(for: dispatcher) }
    for dispatcher in [first, second] {
      let asked = Box([ObjectIdentifier]())
      dispatcher.foreground { [group] in
        asked.value = group.dispatcher.map { [ObjectIdentifier($0)] } ?? []
      }
      try dispatcher.runUntilIdle()
      #expect(asked.value == [ObjectIdentifier(dispatcher)])
      try dispatcher.finish()
    }
    for _ in 0..<2 { group.leaveAsMember().emptied?.tell() }
  }

  @Test("is one of those that it knows of, which are those of its members")
  func several() throws {
    let (first, second) = (RecordingDispatcher(), RecordingDispatcher())
    var known: [ObjectIdentifier] { group.dispatchersOfMembers.map { ObjectIdentifier($0) } }
    for dispatcher in [first, second] { group.notify(on: dispatcher.foreground) {} }
    #expect(known.isEmpty, "they have no member")
    for _ in 0..<2 { group.enter(for: first) }
    #expect(known == [ObjectIdentifier(first)], "it is the only one")
    group.notify(on: second.foreground) {}
    #expect(known == [ObjectIdentifier(first)], "the other one was given no member")
    for dispatcher in [second, first, second] { group.enter(for: dispatcher) }
    #expect(known == [ObjectIdentifier(first), ObjectIdentifier(second)])
    for _ in 0..<5 { group.leaveAsMember().emptied?.tell() }
    #expect(known.isEmpty)
    group.enter(for: second)
    #expect(known == [ObjectIdentifier(second)], "the other one has left it")
    group.leaveAsMember().emptied?.tell()
    for dispatcher in [first, second] {
      try dispatcher.runUntilIdle()
      try dispatcher.finish()
    }
  }

  // The allocator puts nearly each dispatcher at the address of the one before.
  @Test("is no other that has taken its place in memory", arguments: [false, true])
  func goneAndReplaced(byNotification: Bool) throws {
    for _ in 0..<20 {
      do {
        let gone = RecordingDispatcher()
        group.enter(for: gone)
        #expect(group.dispatcher === gone)
        group.leaveAsMember().emptied?.tell()
      }
      #expect(group.dispatcher == nil)
      let next = RecordingDispatcher()
      if byNotification {
        group.notify(on: next.foreground) {}
      } else {
        next.foreground.async(group: group) {}
      }
      #expect(group.dispatcher === next)
      try next.runUntilIdle()
      try next.finish()
    }
  }

  // The allocator puts nearly each dispatcher at the address of the one before.
  @Test(
    "is one made in the place of another, while a third keeps the group", arguments: [false, true])
  func replacedBesideAThird(isFirst: Bool) {
    let third = RecordingDispatcher()
    for _ in 0..<20 {
      do {
        let gone = RecordingDispatcher()
        for dispatcher in isFirst ? [gone, third] : [third, gone] { group.enter(for: dispatcher) }
        group.leaveAsMember().emptied?.tell()
      }
      let (next, before) = (RecordingDispatcher(), group.timesJoined)
      for _ in 0..<2 { group.enter(for: next) }
      #expect(group.timesJoined == before + 1)
      #expect(group.dispatchersOfMembers.contains { $0 === next })
      for _ in 0..<3 { group.leaveAsMember().emptied?.tell() }
    }
  }
}
