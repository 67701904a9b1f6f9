internal import Synchronization

/// Checks one queue while it is at work: order, width, barriers, suspension, and that each submission
/// runs once or not at all.
///
/// It concludes from what submitting threads and bodies see, and knows nothing of the inside of a
/// dispatcher. So it reports only what is certainly wrong, and each check says why that is certain.
public final class QueueChecker: @unchecked Sendable {
  public let index: Int
  public let name: String
  /// How many bodies may be in the queue at a time.
  public let width: Int
  let violations: ViolationLog
  /// The number of bodies inside in the lower half, of barriers in the upper half.
  private let inside = Atomic<UInt64>(0)
  private let isSuspended = Atomic(false)
  private let begunSuspended = Atomic<Int>(0)
  private let suspensions = Locked(0)
  /// From this time on order and barriers are not checked: a shutdown's deadline cancels what waits,
  /// and the queue goes on with what was submitted later.
  private let orderEnds = Atomic<Int64>(.max)
  /// How many certain submissions wait, as seen from outside. Never more than really wait.
  private let waiting = Atomic<Int>(0)
  private let cells: UnsafeMutablePointer<Cell>
  private let streams: UnsafeMutablePointer<StreamAccount>

  private static let bands = 4

  /// The account of one stream in one band.
  private struct Cell: ~Copyable {
    /// Touched by the stream's thread only.
    var submitted = 0
    let begun = Atomic(0)
    /// The digest of the bodies that ran, in their order. Only a body that is alone in the queue
    /// touches it.
    var state: UInt64 = 0
    /// What the digest should be. Touched by the stream's thread only.
    var model: UInt64 = 0
  }

  private struct StreamAccount: ~Copyable {
    /// Touched by the stream's thread only.
    var certain = 0
    var barriers = 0
    let ended = Atomic(0)
    /// How many of those that ended never ran.
    let struckOut = Atomic(0)
    let barriersEnded = Atomic(0)
    /// The digest of the bodies that ran, in whatever order: for queues without an order.
    let sum = Atomic<UInt64>(0)
    var modelSum: UInt64 = 0
  }

  public init(index: Int, name: String, width: Int, violations: ViolationLog) {
    self.index = index
    self.name = name
    self.width = width
    self.violations = violations
    cells = .allocate(capacity: ThreadRecorder.most * Self.bands)
    streams = .allocate(capacity: ThreadRecorder.most)
    for place in 0..<ThreadRecorder.most * Self.bands { (cells + place).initialize(to: Cell()) }
    for place in 0..<ThreadRecorder.most { (streams + place).initialize(to: StreamAccount()) }
  }

  deinit {
    cells.deallocate()
    streams.deallocate()
  }

  private func cell(_ stream: Int, _ band: Int) -> UnsafeMutablePointer<Cell> {
    cells + (stream * Self.bands + band)
  }

  private func cell(of ticket: Ticket) -> UnsafeMutablePointer<Cell> {
    cell(ticket.stream, ticket.band)
  }

  // MARK: Submitting

  /// Makes a ticket. The calling thread submits next, and then calls ``returned(_:at:)`` or
  /// ``refused(_:)``.
  public func issue(
    _ form: Ticket.Form, band: Int = 1, isBarrier: Bool = false, isCertain: Bool = true,
    delay: Int64? = nil, seed: UInt64, at time: Int64
  ) -> Ticket {
    let recorder = ThreadRecorder.current
    recorder.count += 1
    let cell = cell(recorder.index, band)
    let stream = streams + recorder.index
    let ticket = Ticket(
      number: UInt64(recorder.index) << 40 | recorder.count & 0xff_ffff_ffff, queue: index,
      form: form,
      band: band,
      isBarrier: isBarrier, isCertain: isCertain, stream: recorder.index,
      sequence: cell.pointee.submitted, before: stream.pointee.certain,
      barriersBefore: stream.pointee.barriers, submittedAt: time,
      due: delay.map { time + $0 } ?? 0, seed: seed)
    if isCertain {
      cell.pointee.submitted += 1
      stream.pointee.certain += 1
      if isBarrier { stream.pointee.barriers += 1 }
    }
    // A Task that awaits leaves its thread, and that thread may run the body. The library itself
    // submits a reply and the call of a handler.
    if form != .awaited, form != .reply, form != .event { recorder.submitting = ticket }
    recorder.diary.note(.submits, ticket)
    return ticket
  }

  /// The submission was accepted.
  public func returned(_ ticket: Ticket, at time: Int64) {
    ThreadRecorder.current.submitting = nil
    ticket.returnedAt.store(time, ordering: .releasing)
    if ticket.isCertain { waiting.wrappingAdd(1, ordering: .relaxed) }
  }

  /// The submission was refused.
  public func refused(_ ticket: Ticket) {
    let recorder = ThreadRecorder.current
    recorder.submitting = nil
    recorder.diary.note(.refused, ticket)
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.refused) {
      violations.report(.once, ticket, "was refused, and ran")
    }
    // Before this thread submits anything else, so that the order does not wait for this submission.
    if ticket.isCertain { strikeOut(ticket) }
  }

  private func strikeOut(_ ticket: Ticket) {
    let (cell, stream) = (cell(of: ticket), streams + ticket.stream)
    if cell.pointee.submitted == ticket.sequence + 1, stream.pointee.certain == ticket.before + 1 {
      // The counts go back to what they were before the submission.
      cell.pointee.submitted -= 1
      stream.pointee.certain -= 1
      if ticket.isBarrier { stream.pointee.barriers -= 1 }
      return
    }
    // Bodies that ran inside the call have submitted others before it returned.
    cell.pointee.begun.wrappingAdd(1, ordering: .acquiringAndReleasing)
    stream.pointee.struckOut.wrappingAdd(1, ordering: .acquiringAndReleasing)
    end(ticket)
  }

  private func end(_ ticket: Ticket) {
    let stream = streams + ticket.stream
    stream.pointee.ended.wrappingAdd(1, ordering: .acquiringAndReleasing)
    if ticket.isBarrier {
      stream.pointee.barriersEnded.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
  }

  // MARK: Running

  /// The body of `ticket` begins on the calling thread. False if the run must not be counted.
  @discardableResult
  public func begin(_ ticket: Ticket, isRepeat: Bool = false, at time: Int64) -> Bool {
    let recorder = ThreadRecorder.current
    recorder.diary.note(.begins, ticket)
    // Rule 1. The call of `sync` itself runs its body.
    if recorder.submitting === ticket, ticket.form != .synced {
      violations.report(.later, ticket, "ran inside the call that submitted it")
    }
    if isRepeat {
      ticket.runs.wrappingAdd(1, ordering: .relaxed)
      let phase = ticket.phase.load(ordering: .acquiring)
      if phase == Ticket.Phase.cancelled || phase == Ticket.Phase.refused {
        violations.report(.cancel, ticket, "ran again after it was cancelled before its start")
      }
    } else if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.running) {
      switch ticket.phase.load(ordering: .acquiring) {
      case Ticket.Phase.cancelled: violations.report(.cancel, ticket, "ran after it was cancelled")
      case Ticket.Phase.expired: violations.report(.once, ticket, "ran after it had expired")
      case Ticket.Phase.refused: violations.report(.once, ticket, "was refused, and ran")
      default: violations.report(.once, ticket, "ran twice")
      }
      return false
    }
    if ticket.due > time {
      violations.report(.time, ticket, "came \(ticket.due - time) ns early")
    }
    checkSuspension(ticket)
    checkCompany(ticket)
    if ticket.isCertain { checkOrder(ticket, at: time) }
    return true
  }

  /// The body of `ticket` has ended, but for this call.
  public func finish(_ ticket: Ticket, isRepeat: Bool = false) {
    let recorder = ThreadRecorder.current
    let state = Dice.mixed(ticket.number)
    if width == 1, ticket.isCertain {
      let cell = cell(of: ticket)
      // Not atomic: a body that overlaps this one breaks the digest, and ThreadSanitizer sees the race.
      cell.pointee.state = Dice.mixed(cell.pointee.state ^ state)
    } else if !isRepeat {
      (streams + ticket.stream).pointee.sum.wrappingAdd(state, ordering: .relaxed)
    }
    inside.wrappingSubtract(ticket.isBarrier ? 1 << 32 : 1, ordering: .acquiringAndReleasing)
    if ticket.isCertain { end(ticket) }
    recorder.diary.note(.ends, ticket)
    if !isRepeat { ticket.move(from: Ticket.Phase.running, to: Ticket.Phase.ran) }
  }

  /// Rules 4 and 6. A body leaves the count before it returns. So a body that is counted here has not
  /// ended for the dispatcher either.
  private func checkCompany(_ ticket: Ticket) {
    let before = inside.wrappingAdd(
      ticket.isBarrier ? 1 << 32 : 1, ordering: .acquiringAndReleasing
    ).oldValue
    let (bodies, barriers) = (Int(before & 0xffff_ffff), Int(before >> 32))
    if ticket.isBarrier, before != 0 {
      violations.report(
        .barrier, ticket, "began beside \(bodies) bodies and \(barriers) barriers")
    } else if barriers > 0 {
      violations.report(.barrier, ticket, "began while a barrier ran")
    } else if bodies >= width {
      violations.report(
        .alone, ticket, "began beside \(bodies) bodies, in a queue of width \(width)")
    }
  }

  private func checkOrder(_ ticket: Ticket, at time: Int64) {
    let begun = cell(of: ticket).pointee.begun.wrappingAdd(1, ordering: .acquiringAndReleasing)
      .oldValue
    waiting.wrappingSubtract(1, ordering: .relaxed)
    guard time < orderEnds.load(ordering: .relaxed) else { return }
    // Rule 3. All that the thread submitted before this task was taken before it. Each of those that
    // has not begun stands between its taking and its first instruction, and holds one place of the
    // width.
    let missing = ticket.sequence - begun
    if missing > width - 1 {
      violations.report(
        .inOrder, ticket,
        "began before \(missing) that its thread had submitted before it, at width \(width)")
    }
    // Rule 6. A barrier separates what its thread submitted before it from what it submitted after it.
    let stream = streams + ticket.stream
    if ticket.isBarrier {
      let ended = stream.pointee.ended.load(ordering: .acquiring)
      let ran = ended - stream.pointee.struckOut.load(ordering: .acquiring)
      if ended < ticket.before {
        violations.report(
          .barrier, ticket, "began before \(ticket.before - ended) before it had ended")
      } else if ran > ticket.before {
        violations.report(.barrier, ticket, "began after \(ran - ticket.before) that came after it")
      }
    } else {
      let ended = stream.pointee.barriersEnded.load(ordering: .acquiring)
      if ended < ticket.barriersBefore {
        violations.report(
          .barrier, ticket, "began before the barrier that stood before it had ended")
      }
    }
  }

  // MARK: Suspending

  /// A call that suspends the queue has returned.
  public func suspended() {
    suspensions.withLock { suspensions in
      suspensions += 1
      guard suspensions == 1 else { return }
      begunSuspended.store(0, ordering: .releasing)
      isSuspended.store(true, ordering: .releasing)
    }
  }

  /// The calling thread is about to resume the queue.
  public func resumes() {
    suspensions.withLock { suspensions in
      suspensions -= 1
      if suspensions == 0 { isSuspended.store(false, ordering: .releasing) }
    }
  }

  /// Bodies that had started when the queue was suspended may still begin: at most as many as the queue
  /// is wide.
  private func checkSuspension(_ ticket: Ticket) {
    guard isSuspended.load(ordering: .acquiring) else { return }
    let begun = begunSuspended.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    // Another thread may have resumed the queue since.
    guard isSuspended.load(ordering: .acquiring), begun >= width else { return }
    violations.report(
      .suspension, ticket, "began, as \(begun) others, while the view was suspended")
  }

  // MARK: Ends without a run

  /// `cancel()` answered that the body had not started.
  public func cancelledBeforeStart(_ ticket: Ticket) {
    ThreadRecorder.current.diary.note(.cancelledBeforeStart, ticket)
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.cancelled) {
      violations.report(.cancel, ticket, "was cancelled before its start, and ran")
    }
  }

  /// A repeating timer was cancelled while no run of it was under way.
  public func cancelledRepeating(_ ticket: Ticket) {
    ThreadRecorder.current.diary.note(.cancelledBeforeStart, ticket)
    ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.cancelled)
  }

  /// The dispatcher says that the task has expired.
  public func expired(_ ticket: Ticket) {
    ThreadRecorder.current.diary.note(.expired, ticket)
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.expired) {
      violations.report(.once, ticket, "has expired, and ran")
    }
  }

  /// A shutdown has cancelled the task.
  public func cancelledByShutdown(_ ticket: Ticket) {
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.cancelled) {
      violations.report(.shutdown, ticket, "ran, and the shutdown's outcome denies it")
    }
  }

  /// From `time` on the order is not checked.
  public func endOrder(at time: Int64) { orderEnds.store(time, ordering: .relaxed) }

  // MARK: The model

  /// The submitting thread knows that `ticket` has run, and updates what the digests should be.
  public func expectRun(of ticket: Ticket) {
    let state = Dice.mixed(ticket.number)
    if width == 1, ticket.isCertain {
      let cell = cell(of: ticket)
      cell.pointee.model = Dice.mixed(cell.pointee.model ^ state)
    } else {
      (streams + ticket.stream).pointee.modelSum &+= state
    }
  }

  /// Compares the digests that the bodies have left with those of `owners`: threads that called
  /// ``expectRun(of:)`` for all that they submitted. No body runs any more.
  public func checkEndState(of owners: [Int]) {
    for stream in owners {
      for band in 0..<Self.bands {
        let cell = cell(stream, band)
        if cell.pointee.state != cell.pointee.model {
          violations.report(
            .once, nil,
            "\(name) has another end state than a sequential run of what thread \(stream) "
              + "submitted")
        }
      }
      let account = streams + stream
      if account.pointee.sum.load(ordering: .relaxed) != account.pointee.modelSum {
        violations.report(
          .once, nil,
          "\(name): other bodies of thread \(stream) ran than should have: "
            + "\(account.pointee.ended.load(ordering: .relaxed)) of \(account.pointee.certain)")
      }
    }
    if inside.load(ordering: .relaxed) != 0 {
      violations.report(.once, nil, "\(name) still has bodies inside")
    }
  }

  /// How many certain submissions were accepted and have not begun, as seen from outside.
  public var backlog: Int { max(0, waiting.load(ordering: .relaxed)) }

  /// How many bodies are inside.
  public var runningNow: Int {
    let now = inside.load(ordering: .relaxed)
    return Int(now & 0xffff_ffff) + Int(now >> 32)
  }
}

extension Ticket {
  @discardableResult
  func move(from: UInt8, to: UInt8) -> Bool {
    phase.compareExchange(expected: from, desired: to, ordering: .acquiringAndReleasing).exchanged
  }
}
