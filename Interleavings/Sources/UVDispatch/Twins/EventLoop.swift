internal import CUV
internal import Scheduling
internal import TaskDispatch

/// A simulated `uv_loop_t`: a level that wakes it, a timer, another iteration at once, and the main queue.
///
/// Wakes merge. A wake after ``close()`` has begun is a failure, as is a close while a thread is in ``wake()``.
final class EventLoop: @unchecked Sendable {
  let wakeDescriptor: CInt = -1
  /// All loops sleep at one place, because the main queue may wake each of them.
  static let place = SimulatedPlace(#fileID, #line)
  private var isWoken = false
  /// The loop was woken, and its thread has had the dispatcher's lock not yet since it noticed that.
  private(set) var comes = false
  private var isStopped = false
  private var isIdling = false
  private var isOpen = true
  private var waking = 0
  private var timer: Int64?
  private(set) var mayBeReady = false
  private(set) var servesMainQueue = false
  private var mainQueueHasWork = false
  private var probe: MainQueue.Probe?
  var onIteration: () -> Void = {}

  init() throws(UVError) {}

  func wake() {
    if !isOpen { return Simulation.shared.fail("a loop is woken that was closed") }
    waking += 1
    Simulation.shared.wakeAll(at: Self.place)
    waking -= 1
    if !isOpen { return Simulation.shared.fail("a loop is woken that was closed") }
    isWoken = true
    comes = true
    Simulation.shared.wakeAll(at: Self.place)
  }

  func watch(_ signal: Signal) throws(UVError) -> SignalWatch {
    fatalError("no signals are simulated")
  }

  /// No descriptor becomes ready here.
  func watch(_ set: ReadySet) {}

  func takeReadiness(looks: Bool) -> [(token: UInt64, readiness: Readiness)] { [] }

  func run() {
    while !isStopped { runOnce() }
    isStopped = false
  }

  private func runOnce() {
    if isIdling {
      // Libuv polls in between. A thread that the next iteration waits for must get its turn.
      Simulation.shared.yield()
    } else {
      while !isWoken, !isDue, !seesMainQueue {
        Simulation.shared.sleep(at: Self.place, freeing: nil, until: timer)
      }
    }
    if isDue {
      timer = nil
      onIteration()
    }
    if isIdling { onIteration() }
    if seesMainQueue {
      lookAtMainQueue()
      onIteration()
    }
    guard isWoken else { return }
    isWoken = false
    onIteration()
  }

  private var isDue: Bool { timer.map { $0 <= Simulation.shared.now } ?? false }

  /// The loop's thread has freed the dispatcher's lock.
  func noteLook() { comes = isWoken }

  func stop() { isStopped = true }

  func comesRoundAgain(_ again: Bool) { isIdling = again }

  func setTimer(_ nanoseconds: Int64?) {
    timer = nanoseconds.map { Simulation.shared.now.addingClamped(max(1_000_000, $0)) }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    if waking > 0 { Simulation.shared.fail("a loop is closed while a thread wakes it") }
    onIteration = {}
  }

  private var seesMainQueue: Bool { servesMainQueue && MainQueue.isReadable }

  func servingMainQueue<Result>(_ body: () -> Result) -> Result {
    servesMainQueue = true
    defer { serveMainQueueNoMore() }
    return body()
  }

  private func serveMainQueueNoMore() {
    guard servesMainQueue else { return }
    servesMainQueue = false
    probe = nil
    if mainQueueHasWork { MainQueue.giveBackWake() }
    mainQueueHasWork = false
  }

  func expectsMainQueueToRun() -> Bool {
    if servesMainQueue, probe == nil { probe = MainQueue.Probe() }
    return servesMainQueue
  }

  func hasMainQueueWork(looks: Bool) -> Bool {
    guard servesMainQueue else { return false }
    if looks { lookAtMainQueue() }
    return mainQueueHasWork
  }

  private func lookAtMainQueue() {
    if MainQueue.takeWake() { mainQueueHasWork = true }
  }

  func runMainQueue() {
    mainQueueHasWork = false
    MainQueue.runAll()
    if let probe, !probe.hasRun {
      mainQueueHasWork = true
      serveMainQueueNoMore()
    }
  }

  func withLoop<Result>(_ body: (UnsafeMutablePointer<uv_loop_t>) throws -> Result) rethrows
    -> Result
  { fatalError("the loop is simulated") }
}
