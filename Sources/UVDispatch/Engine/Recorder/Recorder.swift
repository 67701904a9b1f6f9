internal import Synchronization
internal import TaskDispatch

/// The flight recorder of a dispatcher: each thread notes what happens on it in a ring of its own, in some nanoseconds and
/// without a lock. ``RingReader`` makes a ``Recording`` of all rings.
///
/// The rings belong to the process: a thread of the pool works for several dispatchers, and has one ring. So an event
/// names its queue, and with that the dispatcher.
///
/// A plain task has no number while it waits. The inbox counts the plain tasks of its queue as they are posted, under
/// its lock, and the core counts them as they are taken, under the dispatcher's lock. They are taken in the order in
/// which they were posted. So the two counts say which post belongs to which start.
final class Recorder: Sendable {
  let name: UInt64
  /// When the dispatcher was made, in ticks, in nanoseconds of the monotonic clock, and of the time of day.
  let start: (ticks: UInt64, monotonic: Int64, wall: Int64)
  let origin: Int64
  let foreground: UInt32
  let background: UInt32

  /// - Parameter origin: The monotonic time that counts as zero, in nanoseconds.
  init(_ options: RecorderOptions, startingAt origin: Int64) {
    ThreadRings.prepare(bytes: options.bytesPerThread)
    name = RecordedQueues.shared.makeRecorder()
    foreground = RecordedQueues.shared.add(
      .init(label: Lane.foreground.description, lane: .foreground), of: name)
    background = RecordedQueues.shared.add(
      .init(label: Lane.background.description, lane: .background), of: name)
    let (ticks, now) = (ThreadRings.ticks, monotonicNanoseconds())
    start = (ticks, now, wallNanoseconds())
    self.origin = origin
  }

  deinit { RecordedQueues.shared.removeRecorder(name) }

  func index(of lane: Lane, _ view: UVView?) -> UInt32 {
    if let view { return view.recorded ?? background }
    return lane == .foreground ? foreground : background
  }

  /// A view was made.
  func add(_ label: String) -> UInt32 {
    RecordedQueues.shared.add(.init(label: label, lane: .background), of: name)
  }

  // MARK: Posting

  /// - Parameter ticks: Read before the post, which may start the task.
  @inline(never) static func notePost(
    ofPlain number: UInt64, to queue: UInt32, from site: CallSite, at ticks: UInt64
  ) {
    RecordedEvent(.plainPosted, at: ticks, queue: queue, number: number, task: 0, site: site)
      .write()
  }

  func notePost(of item: WorkItem, parent: UInt64?, at ticks: UInt64) {
    RecordedEvent(
      .itemPosted, at: ticks, queue: index(of: item.lane, item.view as? UVView),
      number: parent ?? 0, task: Self.address(of: item), site: item.site
    ).write()
    note(label: item.label)
  }

  private func note(label: String?) {
    guard let label else { return }
    var bytes = Self.cut(label).utf8[...]
    repeat {
      RecordedEvent(label: bytes.prefix(24)).write()
      bytes = bytes.dropFirst(24)
    } while !bytes.isEmpty
  }

  /// At most as many whole characters as 96 bytes hold.
  private static func cut(_ label: String) -> Substring {
    if label.utf8.count <= 96 { return label[...] }
    var count = 0
    return label.prefix { character in
      count += character.utf8.count
      return count <= 96
    }
  }

  private static func address(of item: WorkItem) -> UInt64 {
    UInt64(UInt(bitPattern: ObjectIdentifier(item)))
  }

  // MARK: In the core, under the lock

  /// A posted item has got its number.
  ///
  /// - Parameter posted: When it was posted, in ticks.
  func noteNumber(of item: WorkItem, postedAt posted: UInt64) {
    RecordedEvent(
      .itemNumbered, at: ThreadRings.ticks, queue: index(of: item.lane, item.view as? UVView),
      number: posted, task: item.place.id.number,
      site: CallSite(addressOfFile: UInt(Self.address(of: item)), line: 0)
    ).write()
  }

  /// A plain task has left its queue, and has got an object.
  static func noteNumber(
    _ id: UInt64, ofPlain queue: inout RecordedQueue, from site: CallSite
  ) {
    queue.taken += 1
    RecordedEvent(
      .plainNumbered, at: ThreadRings.ticks, queue: queue.index, number: queue.taken, task: id,
      site: site
    ).write()
  }

  /// A plain task starts on the calling thread.
  @inline(__always) static func noteStart(
    ofPlain id: UInt64, in queue: Owned<RecordedQueue>.Link, from site: CallSite, follows: Bool
  ) {
    queue.value.taken &+= 1
    follows
      ? noteFollowing(id, queue.value.taken, queue.value.index, site)
      : noteStart(id, queue.value.taken, queue.value.index, site)
  }

  @inline(never) private static func noteFollowing(
    _ id: UInt64, _ number: UInt64, _ queue: UInt32, _ site: CallSite
  ) {
    RecordedEvent(
      .plainFollows, at: ThreadRings.ticks, queue: queue, number: number, task: id, site: site
    ).write()
  }

  @inline(never) private static func noteStart(
    _ id: UInt64, _ number: UInt64, _ queue: UInt32, _ site: CallSite
  ) {
    RecordedEvent(
      .plainStarted, at: ThreadRings.ticks, queue: queue, number: number, task: id, site: site
    ).write()
  }

  /// An item that was posted starts on the calling thread.
  static func noteStart(of item: WorkItem, in queue: UInt32) {
    RecordedEvent(
      .itemStarted, at: ThreadRings.ticks, queue: queue, number: 0, task: item.place.id.number,
      site: item.site
    ).write()
  }

  /// What runs in a context of the calling thread ends.
  static func noteEnd(of id: UInt64, in queue: UInt32, _ outcome: Outcome) {
    RecordedEvent(
      .ended, at: ThreadRings.ticks, queue: queue,
      number: UInt64(Recording.Kind(outcome).rawValue), task: id,
      site: CallSite(addressOfFile: 0, line: 0)
    ).write()
  }

  /// Something else has happened to a task.
  func note(_ kind: Recording.Kind, _ task: RunningTask) {
    note(
      kind, id: task.id, in: index(of: task.lane, task.view), site: task.site, band: task.band,
      parent: task.parent ?? 0, label: task.item?.label)
  }

  func note(_ kind: Recording.Kind, _ item: WorkItem) {
    note(
      kind, id: item.place.id.number, in: index(of: item.lane, item.view as? UVView),
      site: item.site, band: item.band, parent: item.place.parent, label: item.label)
  }

  private func note(
    _ kind: Recording.Kind, id: UInt64, in queue: UInt32, site: CallSite, band: PriorityBand,
    parent: UInt64, label: String?
  ) {
    RecordedEvent(
      .told(kind), at: ThreadRings.ticks, queue: queue,
      number: parent & (1 << 38 - 1) | UInt64(band.rawValue) << 38, task: id, site: site
    ).write()
    // The others find it by the number.
    if kind == .enqueued || kind == .scheduled || kind == .refused { note(label: label) }
  }

  // MARK: Reading

  /// What the rings hold of this dispatcher. Any thread; the others go on.
  func recording(label: String) -> Recording {
    let now = (ThreadRings.ticks, monotonicNanoseconds())
    var reader = RingReader(self, now: now, label: label)
    ThreadRings.copyAll { reader.read($0) }
    if ThreadRings.hasLost(since: start.ticks) { reader.noteLoss() }
    return reader.recording
  }
}
