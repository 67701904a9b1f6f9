import Glibc
import Synchronization
import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch
@testable import UVDispatch

extension OnePool {
  @Suite("The stack of a stall")
  struct StallStackTests {
    /// Bodies that keep their thread until they are told to go on.
    private final class Bodies: Sendable {
      let goesOn = Atomic(true)
      let gate = Latch()
      let reports = Box([Stall]())

      func note(_ stall: Stall) {
        reports.change { $0.append(stall) }
        goesOn.store(false, ordering: .relaxed)
        gate.open()
      }

      static let linesOfSpin = #line + 1...#line + 3
      @inline(never) func spin() {
        while goesOn.load(ordering: .relaxed) {}
      }

      static let linesOfWait = #line + 1...#line + 4
      @inline(never) func wait() {
        gate.hold(patience)
        spend()
      }

      static let linesOfAllocate = #line + 1...#line + 8
      @inline(never) func allocate() {
        var names: [String] = []
        while goesOn.load(ordering: .relaxed) {
          names.append(String(repeating: "x", count: 100 + names.count))
          if names.count > 100 { names = [] }
        }
        spend()
      }

      /// So that no call above is the last act of its function.
      @inline(never) private func spend() { goesOn.store(false, ordering: .relaxed) }
    }

    /// - Returns: What was told while the body kept its thread, and of its end.
    private static func stalls(
      on lane: Lane, _ body: @escaping @Sendable (Bodies) -> Void
    ) throws -> [Stall] {
      let dispatcher = try UVDispatcher(
        .init(stallThresholds: .init(.milliseconds(20)), stallStacks: StackCapture()))
      let bodies = Bodies()
      try dispatcher.watchStalls { bodies.note($0) }
      try dispatcher.start()
      let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
      queue.async(label: "stuck") { body(bodies) }
      bodies.gate.hold(patience)
      dispatcher.waitForReports()
      dispatcher.end()
      return bodies.reports.value
    }

    /// The functions of ``Bodies`` and the lines that they take up.
    private static let cases: [(Lane, @Sendable (Bodies) -> Void, String, ClosedRange<Int>)] = [
      (.foreground, { $0.spin() }, "spin()", Bodies.linesOfSpin),
      (.background, { $0.wait() }, "wait()", Bodies.linesOfWait),
      (.background, { $0.allocate() }, "allocate()", Bodies.linesOfAllocate),
    ]

    @Test("names the function, the file and the line that keep the thread", arguments: 0..<3)
    func names(number: Int) throws {
      let (lane, body, name, lines) = Self.cases[number]
      let stalls = try Self.stalls(on: lane, body)
      let stack = try #require(stalls.first?.stack)
      // That one calls a handler later, and from its own functions.
      if ThisProcess.isUnderThreadSanitizer { return }
      let frame = try #require(
        stack.frames.first { $0.function?.hasSuffix("Bodies." + name) ?? false }, "\(stack)")
      #expect(frame.file?.hasSuffix("UVDispatchTests/Stacks/StallStackTests.swift") == true)
      #expect(lines.contains(try #require(frame.line)))
      #expect(stack.absence == nil)
      // The closure that calls it, and the library that has called that.
      let functions = stack.frames.compactMap(\.function).joined(separator: "\n")
      #expect(functions.contains("closure #2 in static OnePool.StallStackTests.stalls"), "\(stack)")
      #expect(functions.contains("Engine"), "\(stack)")
      #expect(stalls.last?.isOver == true && stalls.last?.stack == nil)
      // A sanitizer's own functions have lines too.
      if ThisProcess.isSanitized { return }
      // The thread may be in code of the package or of the system, and the line names the program's own.
      let place = try #require(stack.place)
      #expect(place.module == "UVDispatchTests" || place.module == "TaskDispatchTesting")
      let source = try #require(place.sourceText)
      #expect(stalls[0].description.contains("; it is in \(place.function!) at \(source)"))
    }

    @Test("says that the body had ended, rather than what the thread did next")
    func ended() throws {
      let capture = StackCapture()
      try StackTracer.shared.prepare(capture)
      let thread = StuckThread { place in
        place.arrive()
        while place.isStuck {}
      }
      defer { thread.letGo() }
      #expect(StackTracer.shared.trace(thread.id, capture, if: { false }).absence == .ended)
      #expect(StackTracer.shared.trace(thread.id, capture, if: { true }).absence == nil)
    }

    @Test("belongs to the body, and to the callbacks, that stalled")
    func belongs() throws {
      let dispatcher = try UVDispatcher()
      let (group, body, callback) = (WorkGroup(), Latch(), Latch())
      func goesOn(_ occupant: StallWatch.Occupant) -> Bool {
        dispatcher.engine.withCore {
          $0.goesOn(
            Stall.Facts(
              occupant: occupant, task: nil, lane: .background, thread: ThreadID(), nanoseconds: 1,
              isOver: false, time: .start))
        }
      }
      dispatcher.background.async(group: group) { body.hold(patience) }
      group.whenEmpty { callback.hold(patience) }
      dispatcher.waitUntil { !$0.running.isEmpty }
      let id = try #require(dispatcher.engine.withCore { $0.running.all.first?.id })
      #expect(goesOn(.task(id)) && !goesOn(.task(id + 1)) && !goesOn(.callbacks(id)))
      body.open()
      dispatcher.waitUntil { !$0.running.telling.isEmpty }
      let number = try #require(dispatcher.engine.withCore { $0.running.telling.first?.number })
      #expect(goesOn(.callbacks(number)) && !goesOn(.callbacks(number + 1)) && !goesOn(.task(id)))
      callback.open()
      dispatcher.runUntilIdle()
    }

    @Test("names the same again without the debug information, and marks what was guessed")
    func remembered() throws {
      let (names, unwinder) = (FrameNames(UnwinderTests.unwinder.images), UnwinderTests.unwinder)
      let thread = StuckThread { place in
        place.arrive()
        place.waitInKernel()
      }
      defer { thread.letGo() }
      try thread.waitUntilInKernel()
      let frames = try UnwinderTests.frames(of: thread)
      let first = names.frames(frames, unwinder)
      #expect(names.frames(frames, unwinder) == first)
      #expect(first.contains { $0.function == "StuckThread.Place.waitInKernel()" })
      // Addresses that lie in no image are frames all the same.
      let nowhere = names.frames(
        [.init(address: 17, isReturnAddress: false, isGuessed: true)], unwinder)
      #expect(nowhere.map(\.isCertain) == [false])
      #expect(nowhere.map(\.offset) == [17] && nowhere.first?.function == nil)
      #expect(nowhere.first.map { "\($0)" } == "0x11 (likely)")
    }

    @Test("has each frame of a function that calls itself once, and closures of all kinds")
    func recursion() throws {
      let unwinder = UnwinderTests.unwinder
      let names = FrameNames(unwinder.images)
      let thread = StuckThread { place in Self.call(20, place) }
      defer { thread.letGo() }
      let frames = try UnwinderTests.frames(of: thread)
      if ThisProcess.isSanitized { return }
      let named = names.frames(frames, unwinder)
      #expect(named.count { $0.function?.contains("StallStackTests.call(") ?? false } == 21)
      #expect(named == names.frames(frames, unwinder))
    }

    @inline(never) private static func call(_ depth: Int, _ place: StuckThread.Place) {
      if depth == 0 {
        place.arrive()
        while place.isStuck {}
      } else {
        call(depth - 1, place)
      }
      precondition(depth >= 0)
    }

    @Test(
      "knows the module of a function by its symbol",
      arguments: [
        ("$s4main5resizeyyF", "main"), ("$sSi4mainE7slowExtyyF", "main"),
        ("$sSa15UVDispatchTestsE3lotyyF", "UVDispatchTests"), ("$sSS6appendyySSF", "Swift"),
        ("$ss5printyypd_S2StF", "Swift"), ("$sScTss5NeverORs_rlE5sleepyyF", "_Concurrency"),
        ("$s10UVDispatch6EngineC7performyyF", "UVDispatch"), ("malloc", nil), ("$s999x", "x"),
      ] as [(String, String?)])
    func module(symbol: String, module: String?) {
      #expect(SymbolName.module(of: symbol) == module)
    }

    @Test("has no names of a file that has changed since it was loaded")
    func replaced() throws {
      let path = "/tmp/loaded-file-\(getpid())"
      let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      defer {
        close(file)
        unsafe unlink(path)
      }
      let files = LoadedFiles([path, "", "/no/such/file"])
      #expect(files.changed() == ["/no/such/file"])
      #expect(unsafe write(file, "x", 1) == 1)
      #expect(files.changed() == [path, "/no/such/file"])
      unsafe unlink(path)
      #expect(files.changed() == [path, "/no/such/file"])
    }

    @Test(
      "needs a signal that can be handled", arguments: [Signal.kill, .child, Signal(rawValue: 0)])
    func signal(signal: Signal) async {
      let number = signal.rawValue
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [number = number as CInt] in
        _ = try UVDispatcher(.init(stallStacks: StackCapture(signal: Signal(rawValue: number))))
      }
      #expect(result?.said("no stack can be taken with this signal: ") == true)
    }
  }
}
