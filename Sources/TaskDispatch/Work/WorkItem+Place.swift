public import Synchronization

/// Where an item stands in the dispatcher that has taken it, and what that dispatcher keeps in it.
extension WorkItem {
  /// Where the item stands in the queues of its dispatcher. For that dispatcher: under its lock, or, for the thread
  /// that posts the item, before ``stage`` says that it stands anywhere.
  @inlinable public final var place: Place {
    @inline(__always) get { heldPlace }
    @inline(__always) _modify { yield &heldPlace }
  }

  /// In which list or queue of its dispatcher the item stands. Only that dispatcher changes it: under its lock, or
  /// under that of the inbox to which a thread posts the item.
  ///
  /// A thread with the dispatcher's lock may read it while another thread posts the item. What that thread has written
  /// into ``place`` before is visible once this is ``Place/Stage/posted``. Until then, no other thread may touch
  /// ``place``.
  @inlinable public final var stage: Place.Stage {
    @inline(__always) get { Place.Stage(rawValue: heldStage.load(ordering: .acquiring))! }
    @inline(__always) set { heldStage.store(newValue.rawValue, ordering: .releasing) }
  }

  /// What the submission of an item answers that was taken before: an item that was refused stays refused. Any thread.
  public final var admissionAgain: Admission {
    if case .refused(let refusal) = outcome { .refused(refusal) } else { .accepted }
  }

  /// The dispatcher that has taken the item, which ``place`` refers to. That dispatcher sets it before it puts the item
  /// where another thread can find it.
  @inlinable package final var placeIsIn: DispatcherName {
    @inline(__always) get { heldPlaceIsIn }
    @inline(__always) set { heldPlaceIsIn = newValue }
  }

  /// Traps if the item waits or runs in another dispatcher than the one of that name. While a thread submits it for the
  /// first time, it does neither. An item that code other than a dispatcher has begun runs in none.
  @inlinable @inline(__always) package final func requireNotElsewhere(than name: DispatcherName) {
    let waits = stage != .nowhere
    if waits || isRunning, heldPlaceIsIn != name, waits || heldPlaceIsIn != .none {
      refuseElsewhere()
    }
    if isOutside { refuseElsewhere() }
  }

  @usableFromInline @inline(never) final func refuseElsewhere() -> Never {
    refuse("\(name) was submitted to another dispatcher")
  }

  /// Whether the item is an undelayed task or reply that is no barrier and never expires.
  @inlinable package final var isSimple: Bool {
    @inline(__always) get {
      (kind == .task || kind == .reply) && marks.isDisjoint(with: .beforeStart)
    }
  }

  /// The running-task context that the dispatcher has made for the item. Nil if it has made none, and once
  /// the item has ended. For that dispatcher, under its lock.
  @inlinable package final var queued: TaskContext? {
    get { queuedAs }
    set { queuedAs = newValue }
  }

  /// Whether there is a ``queued``. Asking does not touch its reference count.
  @inlinable package final var isQueuedAsTask: Bool { @inline(__always) get { queuedAs != nil } }
}
