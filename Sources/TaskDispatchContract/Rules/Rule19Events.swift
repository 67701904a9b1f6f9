internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 19. Every event from outside is told on the foreground, and no handler is called after its removal.
  static let events: [Rule] = [
    Rule(
      19, "a signal is told on the foreground, with the number of its deliveries", needs: .events
    ) { scene in
      let told = Latch()
      try scene.eventDispatcher().onSignal(Self.signal, label: "handler") { deliveries in
        scene.note("\(deliveries) \(scene.dispatcher.isForeground) \(CurrentTask.label ?? "none")")
        told.open()
      }

      try scene.perform(on: scene.foreground) {
        for _ in 0..<3 { scene.raise(Self.signal) }
        scene.note("raised")
      }

      try scene.reach(told, "the handler is called")
      scene.expectNotes(["raised", "3 true handler"], "one call for a burst, and not inside it")
    },

    Rule(19, "a signal is told to each of its handlers, and to no other's", needs: .events) {
      scene in
      let told = Latch(2)
      for name in ["a", "b"] {
        try scene.eventDispatcher().onSignal(Self.signal) { _ in
          scene.note(name)
          told.open()
        }
      }
      try scene.eventDispatcher().onSignal(Self.otherSignal) { _ in scene.note("another's") }

      scene.raise(Self.signal)

      try scene.reach(told, "both are called")
      try scene.runUntilIdle()
      scene.expectNotes(["a", "b"], "in the order in which they were registered")
    },

    Rule(19, "a signal that comes while it is handled is told in a call of its own", needs: .events)
    {
      scene in
      let told = Latch(2)
      try scene.eventDispatcher().onSignal(Self.signal) { deliveries in
        if scene.notes.isEmpty { scene.raise(Self.signal) }
        scene.note("\(deliveries)")
        told.open()
      }

      scene.raise(Self.signal)

      try scene.reach(told, "it is called twice")
      scene.expectNotes(["1", "1"], "each delivery is told once")
    },

    Rule(19, "a handler that was removed on the foreground is not called", needs: .events) {
      scene in
      let released = Latch(2)
      let descriptor = try scene.openDescriptor()
      let registrations = [
        try scene.eventDispatcher().onSignal(
          Self.signal, perform: noting("signal", releasing: released)),
        try scene.eventDispatcher().onReady(
          descriptor, for: .readable, perform: noting("descriptor", releasing: released)),
      ]
      // A handler must stay, or the signal would end the process.
      try scene.eventDispatcher().onSignal(Self.signal) { _ in }

      try scene.perform(on: scene.foreground) {
        scene.raise(Self.signal)
        scene.makeReadable(descriptor)
        for registration in registrations { registration.cancel() }
        scene.expect(registrations.allSatisfy(\.isCancelled), "they say that they are cancelled")
      }

      try scene.runUntilIdle()
      scene.expectNotes([], "both have come, and no handler is called")
      try scene.reach(released, "the handlers are let go of")

      @Sendable func noting<News>(
        _ name: String, releasing latch: Latch
      ) -> @Sendable (News) -> Void {
        let canary = Canary(latch)
        return { _ in withExtendedLifetime(canary) { scene.note(name) } }
      }
    },

    Rule(19, "a handler can cancel its own registration", needs: .events) { scene in
      let (signals, descriptors) = (Box(0), Box(0))
      let told = Latch(2)
      let descriptor = try scene.openDescriptor()
      let registrations = [
        try scene.eventDispatcher().onSignal(Self.signal) { _ in cancel(counting: signals) },
        try scene.eventDispatcher().onReady(descriptor, for: .readable) { _ in
          cancel(counting: descriptors)
        },
      ]
      // A handler of the signal must stay, or the signal would end the process.
      try scene.eventDispatcher().onSignal(Self.signal) { _ in }
      scene.raise(Self.signal)
      scene.makeReadable(descriptor)
      try scene.reach(told, "both are called")
      try scene.runUntilIdle()

      scene.expect(registrations.allSatisfy(\.isCancelled), "they say that they are cancelled")
      try scene.perform(on: scene.foreground) { scene.raise(Self.signal) }
      try scene.runUntilIdle()
      scene.expect("calls of the handlers", [signals.value, descriptors.value], is: [1, 1])

      @Sendable func cancel(counting calls: Box<Int>) {
        calls.increment()
        scene.expect("whether there is something to cancel", CurrentTask.cancel(), is: true)
        told.open()
      }
    },

    Rule(19, "a handler that another removes before its call is not called", needs: .events) {
      scene in
      let told = Latch()
      let second = Box<Registration?>(nil)
      try scene.eventDispatcher().onSignal(Self.signal) { _ in
        second.value?.cancel()
        scene.note("first")
        told.open()
      }
      second.value = try scene.eventDispatcher().onSignal(Self.signal) { _ in scene.note("second") }

      scene.raise(Self.signal)

      try scene.reach(told, "the first is called")
      try scene.runUntilIdle()
      scene.expectNotes(["first"], "the second was removed")
      second.value = nil
    },

    Rule(
      19, "a descriptor is told of on the foreground each time that it is readable", needs: .events
    ) { scene in
      let descriptor = try scene.openDescriptor()
      let told = Box(Latch())
      try scene.eventDispatcher().onReady(descriptor, for: [.readable, .disconnected]) { ready in
        scene.note("\(ready) \(scene.dispatcher.isForeground)")
        scene.makeUnreadable(descriptor)
        told.value.open()
      }

      for _ in 0..<3 {
        let next = Latch()
        told.value = next
        scene.makeReadable(descriptor)
        try scene.reach(next, "the handler is called")
      }

      scene.expectNotes(
        Array(repeating: "readable true", count: 3), "with what there is of what it asked for")
    },

    Rule(19, "a descriptor can be watched by one registration at a time", needs: .events) { scene in
      let descriptor = try scene.openDescriptor()
      let told = Latch()
      let first = try scene.eventDispatcher().onReady(descriptor, for: .readable) { _ in }

      scene.expectRefusal(.alreadyWatched(descriptor), "watching it once more") {
        try scene.eventDispatcher().onReady(descriptor, for: .writable) { _ in }
      }

      first.cancel()
      try scene.eventDispatcher().onReady(descriptor, for: .readable) { _ in
        scene.makeUnreadable(descriptor)
        told.open()
      }
      scene.makeReadable(descriptor)
      try scene.reach(told, "the second is called")
    },

    Rule(19, "what cannot be waited for is refused with the reason", needs: .events) { scene in
      let descriptor = try scene.openDescriptor()
      let refusals: [(Signal, EventRefusal)] =
        [
          (.kill, .cannotBeHandled(.kill)), (.stop, .cannotBeHandled(.stop)),
          (.child, .belongsToTheLoop(.child)),
        ]
        + [4, 5, 7, 8, 11].map { Signal(rawValue: $0) }.map { ($0, .endsTheProcess($0)) }
        + [32, 33].map { Signal(rawValue: $0) }.map { ($0, .belongsToTheThreadLibrary($0)) }
        + [-1, 0, 65].map { Signal(rawValue: $0) }.map { ($0, .noSuchSignal($0)) }

      for (signal, refusal) in refusals {
        scene.expectRefusal(refusal, "\(signal)") {
          try scene.eventDispatcher().onSignal(signal) { _ in }
        }
      }
      scene.expectRefusal(.notOpen(-1), "descriptor -1") {
        try scene.eventDispatcher().onReady(-1, for: .readable) { _ in }
      }
      scene.expectRefusal(.nothingToWatchFor(descriptor), "no readiness") {
        try scene.eventDispatcher().onReady(descriptor, for: []) { _ in }
      }
    },

    Rule(19, "no limit counts an event", overflow: .reject(limit: 1), needs: .events) { scene in
      let told = Latch(2)
      for _ in 0..<2 {
        try scene.eventDispatcher().onSignal(Self.signal) { _ in told.open() }
      }

      try scene.perform(on: scene.foreground) { scene.raise(Self.signal) }

      try scene.reach(told, "both are called")
    },

    Rule(19, "an observer is told of the registration, the call and the removal", needs: .events) {
      scene in
      let told = Latch()
      let registration = try scene.eventDispatcher().onSignal(Self.signal, label: "handler") { _ in
        told.open()
      }
      scene.raise(Self.signal)
      try scene.reach(told, "the handler is called")
      try scene.runUntilIdle()
      registration.cancel()
      try scene.runUntilIdle()

      // Threads may tell events in another order than the one in which they happened.
      let kinds = scene.events.events(labeled: "handler").map(\.kind)
      scene.expect("number of events", kinds.count, is: 5)
      for kind in [
        TaskEvent.Kind.registered, .enqueued, .started, .finished(.completed), .unregistered,
      ] {
        scene.expect("times \(kind)", kinds.count { $0 == kind }, is: 1)
      }
    },

    Rule(19, "a signal that has come before a shutdown is told in its drain", needs: .events) {
      scene in
      try scene.eventDispatcher().onSignal(Self.signal) { deliveries in
        scene.note("\(deliveries)")
      }
      try scene.runUntilIdle()
      scene.raise(Self.signal)

      try scene.shutDown()

      scene.expectNotes(["1"], "what has come is accepted work")
    },

    Rule(
      19, "handlers are called while a shutdown drains, and are gone with its end", needs: .events
    ) {
      scene in
      let released = Latch()
      let canary = Box<Canary?>(Canary(released))
      let registration = try scene.eventDispatcher().onSignal(Self.signal) {
        [canary = canary.value] _ in
        withExtendedLifetime(canary) { scene.note("told") }
        scene.expectRefusal(.shutDown, "a registration after the gate has closed") {
          try scene.eventDispatcher().onSignal(Self.otherSignal) { _ in }
        }
      }
      canary.value = nil
      scene.foreground {
        scene.dispatcher.beginShutdown(ShutdownPolicy())
        scene.raise(Self.signal)
      }

      try scene.runUntilIdle()
      try scene.end()

      scene.expectNotes(["told"], "the drain includes a signal that comes during it")
      try scene.reach(released, "the handler is let go of")
      scene.expect(!registration.isCancelled, "the registration is not cancelled")
    },
  ]

  /// Signals that no other code in the process handles.
  private static let signal = Signal(rawValue: 62)
  private static let otherSignal = Signal(rawValue: 61)
}
