#if Daemon
  import ServiceContextModule
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("A service context")
  struct CarriedContextTests {
    private enum RequestKey: ServiceContextKey { typealias Value = String }

    private struct Broken: Error {}

    @Test("goes with a body that carries it, to any queue, and ends with it")
    func carried() throws {
      let dispatcher = RecordingDispatcher()
      let seen = Box([String?]())
      let note: @Sendable () -> Void = {
        seen.change { $0.append(ServiceContext.current?[RequestKey.self]) }
      }
      var context = ServiceContext.topLevel
      context[RequestKey.self] = "request 7"

      let handle = ServiceContext.withValue(context) {
        dispatcher.background(ServiceContext.carry(note))
        dispatcher.foreground(ServiceContext.carry(note))
        dispatcher.foreground(note)
        return dispatcher.background.submit(
          ServiceContext.carry {
            note()
            guard ServiceContext.current?[RequestKey.self] == nil else { throw Broken() }
          })
      }
      dispatcher.foreground(ServiceContext.carry(note))
      try dispatcher.runBackgroundUntilIdle()
      try dispatcher.runUntilIdle()

      #expect(seen.value == ["request 7", "request 7", "request 7", nil, nil])
      guard case .failed(_ as Broken) = handle.outcomeIfFinished else {
        Issue.record("\(String(describing: handle.outcomeIfFinished))")
        return
      }
      try dispatcher.finish()
    }
  }
#endif
