internal import Synchronization

/// Watches one queue while it is at work: order, width, barriers, suspension, and that each submission
/// runs once or not at all.
///
/// It concludes from what submitters and bodies see, and knows nothing of the inside of a
/// dispatcher. So it reports only what is certainly wrong; each check says why it is.
public final class QueueJudge: @unchecked Sendable {
  public let index: Int
  public let name: String
  /// How many bodies may be in it at a time.
  public let width: Int
  let court: Court
  /// Bodies inside in the lower half, barriers in the upper.
  private let inside = Atomic<UInt64>(0)
  private let isSuspended = Atomic(false)
  private let begunSuspended = Atomic<Int>(0)
  private let suspensions = Locked(0)
  /// From when on order and barriers are not looked at: a shutdown's deadline cancels what waits, and
  /// the queue goes on with what came later.
  private let orderEnds = Atomic<Int64>(.max)
  /// Waiting and certain, as the outside knows. Never more than really wait.
  private let waiting = Atomic<Int>(0)
  private let cells: UnsafeMutablePointer<Cell>
  private let streams: UnsafeMutablePointer<StreamAccount>

  private static let bands = 4

  /// What one stream has in one band.
  private struct Cell: ~Copyable {
    /// Touched by the stream's thread only.
    var submitted = 0
    let begun = Atomic(0)
    /// What the bodies that ran come to, in their order: touched by the body that is alone.
    var state: UInt64 = 0
    /// What they should come to: the stream's thread.
    var model: UInt64 = 0
  }

  private struct StreamAccount: ~Copyable {
    /// Touched by the stream's thread only.
    var certain = 0
    var barriers = 0
    let ended = Atomic(0)
    /// Of those that ended, how many never ran.
    let struckOut = Atomic(0)
    let barriersEnded = Atomic(0)
    /// Where order says nothing: what ran, whatever its order.
    let sum = Atomic<UInt64>(0)
    var modelSum: UInt64 = 0
  }

  public init(index: Int, name: String, width: Int, court: Court) {
    self.index = index
    self.name = name
    self.width = width
    self.court = court
    cells = .allocate(capacity: Hand.most * Self.bands)
    streams = .allocate(capacity: Hand.most)
    for place in 0..<Hand.most * Self.bands { (cells + place).initialize(to: Cell()) }
    for place in 0..<Hand.most { (streams + place).initialize(to: StreamAccount()) }
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

  /// Makes out a ticket. The caller submits now, and says after that ``returned(_:)`` or
  /// ``refused(_:)``.
  public func issue(
    _ form: Ticket.Form, band: Int = 1, isBarrier: Bool = false, isCertain: Bool = true,
    delay: Int64? = nil, seed: UInt64, at time: Int64
  ) -> Ticket {
    let hand = Hand.current
    hand.count += 1
    let cell = cell(hand.index, band)
    let stream = streams + hand.index
    let ticket = Ticket(
      number: UInt64(hand.index) << 40 | hand.count & 0xff_ffff_ffff, queue: index, form: form,
      band: band,
      isBarrier: isBarrier, isCertain: isCertain, stream: hand.index,
      sequence: cell.pointee.submitted, before: stream.pointee.certain,
      barriersBefore: stream.pointee.barriers, submittedAt: time,
      due: delay.map { time + $0 } ?? 0, seed: seed)
    if isCertain {
      cell.pointee.submitted += 1
      stream.pointee.certain += 1
      if isBarrier { stream.pointee.barriers += 1 }
    }
    // Whoever awaits leaves its thread, which may run it then; a reply is submitted by the library, and
    // so is the call of a handler.
    if form != .awaited, form != .reply, form != .event { hand.submitting = ticket }
    hand.diary.note(.submits, ticket)
    return ticket
  }

  /// The submission was accepted.
  public func returned(_ ticket: Ticket, at time: Int64) {
    Hand.current.submitting = nil
    ticket.returnedAt.store(time, ordering: .releasing)
    if ticket.isCertain { waiting.wrappingAdd(1, ordering: .relaxed) }
  }

  /// The submission was refused.
  public func refused(_ ticket: Ticket) {
    let hand = Hand.current
    hand.submitting = nil
    hand.diary.note(.refused, ticket)
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.refused) {
      court.report(.once, ticket, "was refused, and ran")
    }
    // Before this thread submits anything else, so that nobody waits for it in the order.
    if ticket.isCertain { strikeOut(ticket) }
  }

  private func strikeOut(_ ticket: Ticket) {
    let (cell, stream) = (cell(of: ticket), streams + ticket.stream)
    if cell.pointee.submitted == ticket.sequence + 1, stream.pointee.certain == ticket.before + 1 {
      // As if it had never been.
      cell.pointee.submitted -= 1
      stream.pointee.certain -= 1
      if ticket.isBarrier { stream.pointee.barriers -= 1 }
      return
    }
    // Bodies that ran inside the call have submitted others meanwhile.
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

  /// The body of `ticket` begins, on the calling thread. False if it must not be counted on.
  @discardableResult
  public func begin(_ ticket: Ticket, isRepeat: Bool = false, at time: Int64) -> Bool {
    let hand = Hand.current
    hand.diary.note(.begins, ticket)
    // Rule 1. A `sync` is the call that runs it.
    if hand.submitting === ticket, ticket.form != .synced {
      court.report(.later, ticket, "ran inside the call that submitted it")
    }
    if isRepeat {
      ticket.runs.wrappingAdd(1, ordering: .relaxed)
      let phase = ticket.phase.load(ordering: .acquiring)
      if phase == Ticket.Phase.cancelled || phase == Ticket.Phase.refused {
        court.report(.cancel, ticket, "ran again after it was cancelled before its start")
      }
    } else if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.running) {
      switch ticket.phase.load(ordering: .acquiring) {
      case Ticket.Phase.cancelled: court.report(.cancel, ticket, "ran after it was cancelled")
      case Ticket.Phase.expired: court.report(.once, ticket, "ran after it had expired")
      case Ticket.Phase.refused: court.report(.once, ticket, "was refused, and ran")
      default: court.report(.once, ticket, "ran twice")
      }
      return false
    }
    if ticket.due > time {
      court.report(.time, ticket, "came \(ticket.due - time) ns early")
    }
    judgeSuspension(ticket)
    judgeCompany(ticket)
    if ticket.isCertain { judgeOrder(ticket, at: time) }
    return true
  }

  /// The body of `ticket` is over, all but the call of this.
  public func finish(_ ticket: Ticket, isRepeat: Bool = false) {
    let hand = Hand.current
    let state = Dice.mixed(ticket.number)
    if width == 1, ticket.isCertain {
      let cell = cell(of: ticket)
      // Not atomic: whoever overlaps it breaks it, and ThreadSanitizer sees it.
      cell.pointee.state = Dice.mixed(cell.pointee.state ^ state)
    } else if !isRepeat {
      (streams + ticket.stream).pointee.sum.wrappingAdd(state, ordering: .relaxed)
    }
    inside.wrappingSubtract(ticket.isBarrier ? 1 << 32 : 1, ordering: .acquiringAndReleasing)
    if ticket.isCertain { end(ticket) }
    hand.diary.note(.ends, ticket)
    if !isRepeat { ticket.move(from: Ticket.Phase.running, to: Ticket.Phase.ran) }
  }

  /// Rules 4 and 6: who is inside has not ended for the dispatcher either, since it leaves here before
  /// its body returns.
  private func judgeCompany(_ ticket: Ticket) {
    let before = inside.wrappingAdd(
      ticket.isBarrier ? 1 << 32 : 1, ordering: .acquiringAndReleasing
    ).oldValue
    let (bodies, barriers) = (Int(before & 0xffff_ffff), Int(before >> 32))
    if ticket.isBarrier, before != 0 {
      court.report(
        .barrier, ticket, "began beside \(bodies) bodies and \(barriers) barriers")
    } else if barriers > 0 {
      court.report(.barrier, ticket, "began while a barrier ran")
    } else if bodies >= width {
      court.report(.alone, ticket, "began beside \(bodies) bodies, in a queue of width \(width)")
    }
  }

  private func judgeOrder(_ ticket: Ticket, at time: Int64) {
    let begun = cell(of: ticket).pointee.begun.wrappingAdd(1, ordering: .acquiringAndReleasing)
      .oldValue
    waiting.wrappingSubtract(1, ordering: .relaxed)
    guard time < orderEnds.load(ordering: .relaxed) else { return }
    // Rule 3: all that was submitted before it was taken before it. Of those, what has not begun
    // stands between taking and its first instruction, and holds a place of the width each.
    let missing = ticket.sequence - begun
    if missing > width - 1 {
      court.report(
        .inOrder, ticket,
        "began before \(missing) that its thread had submitted before it, at width \(width)")
    }
    // Rule 6: both sides of a barrier, as its thread submitted them.
    let stream = streams + ticket.stream
    if ticket.isBarrier {
      let ended = stream.pointee.ended.load(ordering: .acquiring)
      let ran = ended - stream.pointee.struckOut.load(ordering: .acquiring)
      if ended < ticket.before {
        court.report(.barrier, ticket, "began before \(ticket.before - ended) before it had ended")
      } else if ran > ticket.before {
        court.report(.barrier, ticket, "began after \(ran - ticket.before) that came after it")
      }
    } else {
      let ended = stream.pointee.barriersEnded.load(ordering: .acquiring)
      if ended < ticket.barriersBefore {
        court.report(.barrier, ticket, "began before the barrier that stood before it had ended")
      }
    }
  }

  // MARK: Suspending

  /// The queue was suspended: the call has returned.
  public func suspended() {
    suspensions.withLock { suspensions in
      suspensions += 1
      guard suspensions == 1 else { return }
      begunSuspended.store(0, ordering: .releasing)
      isSuspended.store(true, ordering: .releasing)
    }
  }

  /// The queue is about to be resumed.
  public func resumes() {
    suspensions.withLock { suspensions in
      suspensions -= 1
      if suspensions == 0 { isSuspended.store(false, ordering: .releasing) }
    }
  }

  /// What had started when the queue was suspended may still begin: as many as it is wide.
  private func judgeSuspension(_ ticket: Ticket) {
    guard isSuspended.load(ordering: .acquiring) else { return }
    let begun = begunSuspended.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    // Somebody may have resumed it meanwhile.
    guard isSuspended.load(ordering: .acquiring), begun >= width else { return }
    court.report(.suspension, ticket, "began, as \(begun) others, while the view was suspended")
  }

  // MARK: Ends without a run

  /// `cancel()` answered that it had not started.
  public func cancelledBeforeStart(_ ticket: Ticket) {
    Hand.current.diary.note(.cancelledBeforeStart, ticket)
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.cancelled) {
      court.report(.cancel, ticket, "was cancelled before its start, and ran")
    }
  }

  /// A repeating timer was cancelled while no run of it was under way.
  public func cancelledRepeating(_ ticket: Ticket) {
    Hand.current.diary.note(.cancelledBeforeStart, ticket)
    ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.cancelled)
  }

  /// The dispatcher says that it has expired.
  public func expired(_ ticket: Ticket) {
    Hand.current.diary.note(.expired, ticket)
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.expired) {
      court.report(.once, ticket, "has expired, and ran")
    }
  }

  /// A shutdown has cancelled it.
  public func cancelledByShutdown(_ ticket: Ticket) {
    if !ticket.move(from: Ticket.Phase.submitted, to: Ticket.Phase.cancelled) {
      court.report(.shutdown, ticket, "ran, and the shutdown's outcome denies it")
    }
  }

  /// From then on the order is not looked at.
  public func endOrder(at time: Int64) { orderEnds.store(time, ordering: .relaxed) }

  // MARK: The model

  /// The submitting thread knows that `ticket` has run: what its queue should have come to.
  public func expectRun(of ticket: Ticket) {
    let state = Dice.mixed(ticket.number)
    if width == 1, ticket.isCertain {
      let cell = cell(of: ticket)
      cell.pointee.model = Dice.mixed(cell.pointee.model ^ state)
    } else {
      (streams + ticket.stream).pointee.modelSum &+= state
    }
  }

  /// Compares what the bodies have left with the model of each of `owners`, the threads that called
  /// ``expectRun(of:)`` for all they submitted. Nothing runs any more.
  public func judgeEndState(of owners: [Int]) {
    for stream in owners {
      for band in 0..<Self.bands {
        let cell = cell(stream, band)
        if cell.pointee.state != cell.pointee.model {
          court.report(
            .once, nil,
            "\(name) has another end state than a sequential run of what thread \(stream) "
              + "submitted")
        }
      }
      let account = streams + stream
      if account.pointee.sum.load(ordering: .relaxed) != account.pointee.modelSum {
        court.report(
          .once, nil,
          "\(name): other bodies of thread \(stream) ran than should have: "
            + "\(account.pointee.ended.load(ordering: .relaxed)) of \(account.pointee.certain)")
      }
    }
    if inside.load(ordering: .relaxed) != 0 {
      court.report(.once, nil, "\(name) still has bodies inside")
    }
  }

  /// How many certain ones have been accepted and not begun, as far as the outside knows.
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
