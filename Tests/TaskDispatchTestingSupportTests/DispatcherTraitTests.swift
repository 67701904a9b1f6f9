import TaskDispatch
import TaskDispatchTesting
import TaskDispatchTestingSupport
import Testing

@Suite("A test with the trait .dispatcher()", .dispatcher())
struct DispatcherTraitTests {
  /// The dispatcher that the suite's `init` finds.
  let dispatcher = RecordingDispatcher.current

  @Test("has a recording dispatcher that is current, from the init of its suite on")
  func isCurrent() throws {
    let dispatcher = try #require(dispatcher)

    #expect(Dispatchers.current === dispatcher)
    #expect(RecordingDispatcher.current === dispatcher)
  }

  @Test("steps what code that was handed no dispatcher submits")
  func stepsAmbientCode() throws {
    let ran = Locked(false)
    Dispatchers.current.background { ran.withLock { $0 = true } }

    try RecordingDispatcher.current?.runNextBackgroundTask()

    #expect(ran.withLock { $0 })
  }

  @Test("hands its dispatcher on to the Tasks that it starts")
  func reachesChildTasks() async throws {
    async let child = RecordingDispatcher.current
    let unstructured = Task { RecordingDispatcher.current }

    #expect(await child === dispatcher)
    #expect(await unstructured.value === dispatcher)
  }

  @MainActor @Test("may be one of the main actor")
  func isOfMainActor() {
    MainActor.assertIsolated()
    #expect(RecordingDispatcher.current === dispatcher)
  }

  @Test("may call finish() itself")
  func finishesItself() throws {
    try dispatcher?.finish()
  }

  @Test("of its own, inside that of its suite, has its own dispatcher", .dispatcher(width: 1))
  func isInnermost() throws {
    let inner = try #require(RecordingDispatcher.current)

    #expect(inner === dispatcher)
    #expect(inner.configuration.width == 1)
  }

  @Suite("in a suite inside")
  struct Inner {
    @Test("has a dispatcher too")
    func isRecursive() {
      #expect(RecordingDispatcher.current != nil)
    }
  }
}

@Suite("The trait .dispatcher()")
struct DispatcherTraitOptionsTests {
  @Test("has the defaults of the configuration")
  func keepsDefaults() {
    let standard = RecordingDispatcher.Configuration()

    let configuration = DispatcherTrait.dispatcher().configuration

    #expect(configuration.width == standard.width)
    #expect(configuration.policy == standard.policy)
    #expect(configuration.stepLimit == standard.stepLimit)
    #expect(configuration.leftovers == standard.leftovers)
    #expect(configuration.thrownErrors == standard.thrownErrors)
  }

  @Test(
    "makes the dispatcher with its parameters",
    .dispatcher(
      width: 2, policy: .automatic, stepLimit: 7, leftovers: .ignore, thrownErrors: .atOnce))
  func takesParameters() throws {
    let configuration = try #require(RecordingDispatcher.current).configuration

    #expect(configuration.width == 2)
    #expect(configuration.policy == .automatic)
    #expect(configuration.stepLimit == 7)
    #expect(configuration.leftovers == .ignore)
    #expect(configuration.thrownErrors == .atOnce)
  }

  @Test("makes the dispatcher with a whole configuration", .dispatcher(.init(escapesFail: false)))
  func takesConfiguration() throws {
    #expect(try #require(RecordingDispatcher.current).configuration.escapesFail == false)
  }
}

@Suite("Each case of a parameterised test with the trait .dispatcher()")
struct ParameterizedTraitTests {
  /// Kept alive, so that no dispatcher gets the address of an earlier one.
  private static let seen = Locked<[RecordingDispatcher]>([])

  @Test(
    "has a dispatcher of its own, and they run beside each other", .dispatcher(), arguments: 0..<100
  )
  func hasItsOwn(number: Int) async throws {
    let dispatcher = try #require(RecordingDispatcher.current)
    let isNew = Self.seen.withLock { seen in
      defer { seen.append(dispatcher) }
      return !seen.contains { $0 === dispatcher }
    }
    let sum = Locked(0)

    for addend in 0...number { Dispatchers.current.background { sum.withLock { $0 += addend } } }
    _ = try await Task { try dispatcher.runUntilIdle() }.value

    #expect(isNew)
    #expect(dispatcher.ledger.completed == number + 1)
    #expect(sum.withLock { $0 } == number * (number + 1) / 2)
  }
}
