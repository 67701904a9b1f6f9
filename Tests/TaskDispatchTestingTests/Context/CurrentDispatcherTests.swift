import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("The current dispatcher")
struct CurrentDispatcherTests {
  private struct Torn: Error {}
  private let one = RecordingDispatcher()
  private let two = RecordingDispatcher()

  @Test("is the one of the innermost scope, and afterwards what it was")
  func scopes() {
    #expect(RecordingDispatcher.current == nil)

    withDispatcher(one) {
      #expect(Dispatchers.current === one)
      withDispatcher(two) { #expect(RecordingDispatcher.current === two) }
      #expect(RecordingDispatcher.current === one)
    }

    #expect(RecordingDispatcher.current == nil)
  }

  @Test("is what it was also when the scope throws, and the error is the scope's own")
  func throwing() {
    withDispatcher(one) {
      #expect(throws: Torn.self) {
        try withDispatcher(two) { () throws(Torn) in throw Torn() }
      }
      #expect(Dispatchers.current === one)
    }
  }

  @Test("stays so over a suspension, and in the child Tasks of the scope")
  func suspension() async {
    await withDispatcher(one) {
      await Task.detached {}.value
      #expect(Dispatchers.current === one)
      async let child = RecordingDispatcher.current
      let inherited = await Task { RecordingDispatcher.current }.value
      #expect(await child === one)
      #expect(inherited === one)
    }
    #expect(RecordingDispatcher.current == nil)
  }

  @Test("is not that of a scope on another thread or in a detached Task")
  func elsewhere() async {
    let seen = Slot<Bool>()
    await withDispatcher(one) {
      let detached = await Task.detached { RecordingDispatcher.current == nil }.value
      #expect(detached)
    }
    withDispatcher(one) { onAnotherThread { seen.value = RecordingDispatcher.current == nil } }
    #expect(seen.value == true)
  }

  @Test("is in a body the one that runs it, whatever code submits it, and whatever code steps")
  func inBody() throws {
    let seen = Slot<[Bool]>()
    let one = one
    withDispatcher(two) { _ = one.foreground { seen.value = [Dispatchers.current === one] } }

    try withDispatcher(two) {
      try one.runUntilIdle()
      #expect(Dispatchers.current === two)
    }

    #expect(seen.value == [true])
    try one.finish()
  }

  @Test("is in a body what the body itself makes current, until the end of that scope")
  func scopeInBody() throws {
    let seen = Slot<[Bool]>()
    let one = one
    let two = two
    one.background {
      let before = Dispatchers.current === one
      let inside = withDispatcher(two) { Dispatchers.current === two }
      seen.value = [before, inside, Dispatchers.current === one]
    }

    try one.runUntilIdle()

    #expect(seen.value == [true, true, true])
    try one.finish()
  }

  @Test("is in a Task's jobs what the Task made current, from job to job")
  func scopeInTask() throws {
    let one = one
    let two = two

    let seen = try one.runAsync {
      let before = Dispatchers.current === one
      let inside = try await withDispatcher(two) {
        try await one.background.run {}
        return Dispatchers.current === two
      }
      return [before, inside, Dispatchers.current === one]
    }

    #expect(seen == [true, true, true])
    try one.finish()
  }

  @Test("is the inner one where a body steps another dispatcher")
  func nested() throws {
    let seen = Slot<[Bool]>()
    let one = one
    let two = two
    seen.value = []
    two.background { seen.value! += [Dispatchers.current === two] }
    one.background {
      try! two.runUntilIdle()
      seen.value! += [Dispatchers.current === one]
    }

    try one.runUntilIdle()

    #expect(seen.value == [true, true])
    try one.finish()
    try two.finish()
  }
}
