internal import Synchronization

/// Making items, and reading what they were made with.
extension WorkItem {
  /// Makes an item of a queue. For dispatchers, and for code that builds on them.
  ///
  /// - Parameters:
  ///   - band: The band in which it waits. Meaningless on the foreground.
  ///   - repetition: For kind `.repeating`, which needs `due` as well.
  ///   - group: Entered by this call, and left when the outcome is known.
  ///   - body: Runs on the queue: at most once, unless the item repeats. Released when the outcome is known.
  /// - Complexity: O(1). One allocation, and a second for a time to live, a tolerance or a repetition, for
  ///   the label of an item that waits for a time, and for a group together with a view.
  public static func make(
    kind: Kind, queue: borrowing TaskQueue, label: String?, site: CallSite,
    band: PriorityBand = .medium, due: DispatcherInstant? = nil, tolerance: Duration = .zero,
    repetition: Repetition? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain, group: WorkGroup? = nil,
    body: consuming sending @escaping () throws -> Void
  ) -> WorkItem {
    let origin = Origin(
      kind: kind, queue: queue, site: site, band: band, atShutdown: atShutdown,
      hasTimeToLive: timeToLive != nil)
    // A ``TimerItem`` stores its time where a ``LabelledItem`` stores its label. So a timer's label goes into
    // ``Extras``.
    let more = More(
      view: queue.view, group: group, label: due == nil ? nil : label, timeToLive: timeToLive,
      tolerance: tolerance, repetition: repetition)
    group?.enter(for: queue.implementation)
    if let repetition {
      guard let due else { refuse("a repeating timer needs the time of its first tick") }
      return RepeatingItem(origin, more, repetition, due: due, body: body)
    }
    if let due { return TimerItem(origin, more, due: due.nanoseconds, body: body) }
    if let label { return LabelledItem(origin, more, label: label, body: body) }
    return BodyItem(origin, more, body: body)
  }

  /// What every item is made with.
  @usableFromInline struct Origin {
    let kind: Kind
    let lane: Lane
    let isBarrier: Bool
    let site: CallSite
    let band: PriorityBand
    let atShutdown: ShutdownBehavior
    let hasTimeToLive: Bool

    @usableFromInline init(
      kind: Kind, queue: borrowing TaskQueue, site: CallSite, band: PriorityBand,
      atShutdown: ShutdownBehavior, hasTimeToLive: Bool
    ) {
      self.kind = kind
      lane = queue.lane
      isBarrier = queue.isBarrier && queue.lane == .background
      self.site = site
      self.band = band
      self.atShutdown = atShutdown
      self.hasTimeToLive = hasTimeToLive
    }

    init(runOf timer: WorkItem) {
      kind = .timer
      lane = timer.lane
      isBarrier = timer.isBarrier
      site = timer.site
      band = timer.band
      atShutdown = timer.atShutdown
      hasTimeToLive = false
    }
  }

  /// What an item has beside its body: usually nothing, or one of these.
  @usableFromInline enum More {
    case nothing
    case view(QueueView)
    case group(WorkGroup)
    case extras(Extras)
  }

  /// Rare properties, stored out of line so that an item stays small.
  @usableFromInline final class Extras: Sendable {
    @usableFromInline let view: QueueView?
    let group: WorkGroup?
    let label: String?
    // In nanoseconds.
    let timeToLive: Int64?
    let tolerance: Int64
    let repetition: Repetition?

    init(
      view: QueueView?, group: WorkGroup?, label: String?, timeToLive: Int64?, tolerance: Int64,
      repetition: Repetition?
    ) {
      self.view = view
      self.group = group
      self.label = label
      self.timeToLive = timeToLive
      self.tolerance = tolerance
      self.repetition = repetition
    }
  }

  // MARK: What it was given

  /// The item's extras. Nil if it has none.
  var extras: Extras? { if case .extras(let extras) = more { extras } else { nil } }

  /// The view of the background that it was submitted to, or nil.
  @inlinable public var view: QueueView? {
    switch more {
    case .nothing, .group: nil
    case .view(let view): view
    case .extras(let extras): extras.view
    }
  }

  public var group: WorkGroup? {
    switch more {
    case .nothing, .view: nil
    case .group(let group): group
    case .extras(let extras): extras.group
    }
  }

  /// Whether the item is a member of a group. Asking does not touch the group's reference count.
  package var isMember: Bool {
    @inline(__always) get {
      switch more {
      case .nothing, .view: false
      case .group: true
      case .extras(let extras): extras.group != nil
      }
    }
  }

  /// The time before which the item does not start. Nil for now.
  public var due: DispatcherInstant? {
    dueInNanoseconds.map { DispatcherInstant(nanoseconds: $0) }
  }
  /// How much later than `due` the item may start if that saves a wake-up. Not negative, in whole
  /// nanoseconds.
  public var tolerance: Duration { .nanoseconds(toleranceInNanoseconds) }

  package var toleranceInNanoseconds: Int64 { extras?.tolerance ?? 0 }
  /// How the item repeats. Nil if it is no repeating timer.
  public var repetition: Repetition? { extras?.repetition }
  /// How long the item may wait before it expires: from its submission, or from its time if it is a timer. In
  /// whole nanoseconds. Nil if it never expires.
  public var timeToLive: Duration? {
    hasTimeToLive ? extras?.timeToLive.map { .nanoseconds($0) } : nil
  }

  /// Identifies one dispatcher of the process, or none.
  @usableFromInline package struct DispatcherName: Sendable, Equatable {
    // Two bytes and not one number, because a 16-bit number would not fit into the gap that is left in an
    // item.
    @usableFromInline let low: UInt8
    @usableFromInline let high: UInt8

    /// The name of a dispatcher that has none.
    @inlinable package static var none: DispatcherName { DispatcherName(low: 0, high: 0) }

    @inlinable init(low: UInt8, high: UInt8) {
      self.low = low
      self.high = high
    }

    private static let unique = Atomic(0)
    private static let recurring = Atomic(0)

    /// A name that no other dispatcher of the process ever has. There are 32 767 of them, then this is ``none``.
    package static func makeUnique() -> DispatcherName {
      DispatcherName(ofDispatcher: unique.add(1, ordering: .relaxed).newValue)
    }

    /// A name that comes again after 32 768 others, and is never one of ``makeUnique()``. For the fake: an exploration
    /// makes one for each schedule.
    package static func makeRecurring() -> DispatcherName {
      let count = recurring.add(1, ordering: .relaxed).newValue
      return DispatcherName(number: UInt16(truncatingIfNeeded: count) | 0x8000)
    }

    /// - Parameter count: The number of dispatchers with a unique name so far, including this one.
    package init(ofDispatcher count: Int) {
      self.init(number: count < 0x8000 ? UInt16(count) : 0)
    }

    private init(number: UInt16) {
      self.init(
        low: UInt8(truncatingIfNeeded: number), high: UInt8(truncatingIfNeeded: number >> 8))
    }
  }

  /// Where an item stands in a dispatcher's queues. Guarded by that dispatcher's lock. While a thread posts the item,
  /// it is that thread's: see ``WorkItem/stage``.
  public struct Place: Sendable {
    /// Its position in the queue that ``WorkItem/stage`` says.
    public var position: Int
    /// The number of the submission in this dispatcher.
    public var id: TaskID
    /// When the item was submitted, or came due.
    public var since: DispatcherInstant
    /// The number of the task whose body submitted it; 0 if none did.
    @usableFromInline package var parent: UInt64

    /// The ticket that removes the item from the timers, while it is there. Stored in ``position``.
    @inlinable package var ticket: DeadlineTicket {
      get { DeadlineTicket(bits: position) }
      set { position = newValue.bits }
    }

    public enum Stage: UInt8, Sendable {
      case nowhere
      /// In its queue, or in an inbox on the way there. Its position is not known, because no thread has
      /// needed it yet.
      case posted
      case timers, due, queue, held
    }

    @inlinable public init() {
      position = 0
      id = TaskID(0)
      since = DispatcherInstant(nanoseconds: 0)
      parent = 0
    }
  }
}

extension WorkItem.More {
  @usableFromInline init(
    view: QueueView?, group: WorkGroup? = nil, label: String? = nil, timeToLive: Duration? = nil,
    tolerance: Duration = .zero, repetition: Repetition? = nil
  ) {
    let isMore =
      label != nil || timeToLive != nil || tolerance.isPositive || repetition != nil
    if isMore || (view != nil && group != nil) {
      self = .extras(
        WorkItem.Extras(
          view: view, group: group, label: label,
          timeToLive: timeToLive.map { max(0, $0.clampedNanoseconds) },
          tolerance: max(0, tolerance.clampedNanoseconds), repetition: repetition))
    } else if let view {
      self = .view(view)
    } else if let group {
      self = .group(group)
    } else {
      self = .nothing
    }
  }
}
