import TaskDispatchTesting
import Testing

@testable import TaskDispatch

/// Whoever waits for a group asks the dispatcher that it was used with last.
@Suite("The dispatcher that a group asks")
struct GroupDispatcherTests {
  private let group = WorkGroup()

  @Test("is the last that was given something of it, whatever else is in")
  func last() {
    let (first, second) = (RecordingDispatcher(), RecordingDispatcher())
    #expect(group.dispatcher == nil)
    for dispatcher in [first, second, first, first, second] {
      group.enter(for: dispatcher)
      #expect(group.dispatcher === dispatcher)
    }
    group.leave()
    group.enter()
    #expect(group.dispatcher === second)
    for _ in 0..<5 { group.leaveAsMember().emptied?.tell() }
    group.enter(for: first)
    #expect(group.dispatcher === first)
    group.leaveAsMember().emptied?.tell()
  }

  @Test("is one of those that it knows of, which are those of its members")
  func several() throws {
    let (first, second) = (RecordingDispatcher(), RecordingDispatcher())
    var known: [ObjectIdentifier] { group.dispatchersOfMembers.map { ObjectIdentifier($0) } }
    for dispatcher in [first, second] { group.notify(on: dispatcher.foreground) {} }
    #expect(known.isEmpty, "they have no member")
    for _ in 0..<2 { group.enter(for: first) }
    #expect(known == [ObjectIdentifier(first)], "it is the only one")
    for dispatcher in [second, first, second] { group.enter(for: dispatcher) }
    #expect(known == [ObjectIdentifier(first), ObjectIdentifier(second)])
    for _ in 0..<5 { group.leaveAsMember().emptied?.tell() }
    #expect(known.isEmpty)
    for dispatcher in [first, second] {
      try dispatcher.runUntilIdle()
      try dispatcher.finish()
    }
  }

  // Nearly each is made where the one before was.
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
        next.foreground(group: group) {}
      }
      #expect(group.dispatcher === next)
      try next.runUntilIdle()
      try next.finish()
    }
  }
}
