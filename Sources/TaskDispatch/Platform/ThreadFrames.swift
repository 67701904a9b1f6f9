internal import Glibc

/// The frames of the bodies that run on this thread: a list that runs through the frames themselves,
/// so that entering a body allocates nothing and writes to no shared object.
///
/// A thread-local pointer, and no comparison of thread ids: the compiler may keep `pthread_self`
/// across an `await`, and ids are used again, so that could answer for another thread (or for one
/// that is gone).
enum ThreadFrames {
  /// A frame's place in the list, while its body runs.
  @safe struct Link {
    // Not counted: whoever runs the body holds them until it has ended.
    private let heldBelow: Unmanaged<TaskFrame>?
    private unowned(unsafe) let heldDispatcher: any TaskDispatcher
    private let top: Top
    /// Whether the body cannot rely on what is below.
    let hidesOuter: Bool

    /// Puts `frame` on top of this thread's frames.
    fileprivate init(
      _ frame: TaskFrame, by dispatcher: any TaskDispatcher, hidesOuter: Bool
    ) {
      unsafe top = ThreadFrames.topIfMade() ?? ThreadFrames.makeTop()
      unsafe heldBelow = top.pointee
      unsafe heldDispatcher = dispatcher
      self.hidesOuter = hidesOuter
      unsafe top.pointee = Unmanaged.passUnretained(frame)
    }

    /// Puts `frame` on top, as if it stood on `base`, which is somewhere below, and on nothing between.
    fileprivate init(
      _ frame: TaskFrame, by dispatcher: any TaskDispatcher, standingOn base: TaskFrame?
    ) {
      unsafe top = ThreadFrames.topIfMade() ?? ThreadFrames.makeTop()
      unsafe heldBelow = base.map { unsafe Unmanaged.passUnretained($0) }
      unsafe heldDispatcher = dispatcher
      hidesOuter = false
      unsafe top.pointee = Unmanaged.passUnretained(frame)
    }

    /// Makes what was below the top again.
    fileprivate func undo() { unsafe top.pointee = heldBelow }

    /// Makes `frame`, which this is the link of, the top again.
    fileprivate func redo(_ frame: TaskFrame) {
      unsafe top.pointee = Unmanaged.passUnretained(frame)
    }

    /// Makes `frame` the top again.
    fileprivate func undo(to frame: TaskFrame?) {
      unsafe top.pointee = frame.map { unsafe Unmanaged.passUnretained($0) }
    }

    var below: TaskFrame? { unsafe heldBelow?.takeUnretainedValue() }
    var dispatcher: any TaskDispatcher { unsafe heldDispatcher }
  }

  /// Where a thread keeps its innermost frame. It is looked for once a body, and then written without
  /// a call; freed when the thread ends.
  fileprivate typealias Top = UnsafeMutablePointer<Unmanaged<TaskFrame>?>

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) { unsafe free($0) }
    precondition(status == 0, "pthread_key_create refused: \(status)")
    return key
  }()

  /// Never inlined: what it reads changes where the compiler sees no reason for it.
  @inline(never) fileprivate static func topIfMade() -> Top? {
    guard let top = unsafe pthread_getspecific(key) else { return nil }
    return unsafe top.assumingMemoryBound(to: Unmanaged<TaskFrame>?.self)
  }

  @inline(never) fileprivate static func makeTop() -> Top {
    let size = unsafe MemoryLayout<Unmanaged<TaskFrame>?>.size
    guard let memory = unsafe malloc(size) else { fatalError("no memory for \(size) bytes") }
    let top = unsafe memory.bindMemory(to: Unmanaged<TaskFrame>?.self, capacity: 1)
    unsafe top.initialize(to: nil)
    let status = unsafe pthread_setspecific(key, top)
    precondition(status == 0, "pthread_setspecific refused: \(status)")
    return unsafe top
  }

  /// The innermost frame that runs on this thread, or nil.
  static var innermost: TaskFrame? {
    guard let top = unsafe topIfMade() else { return nil }
    return unsafe top.pointee?.takeUnretainedValue()
  }

  /// Puts `frame` on top. The caller holds it, and its dispatcher, until it has popped it.
  static func push(_ frame: TaskFrame, by dispatcher: any TaskDispatcher, hidesOuter: Bool) {
    frame.link = Link(frame, by: dispatcher, hidesOuter: hidesOuter)
  }

  /// Takes `frame`, which this thread pushed last, off again.
  static func pop(_ frame: TaskFrame) {
    frame.link?.undo()
    frame.link = nil
  }

  /// Takes `frame` off until ``putBack(_:)``, which this thread calls.
  static func takeOff(_ frame: TaskFrame) { frame.link?.undo() }

  /// Puts `frame` on top again, in the same place.
  static func putBack(_ frame: TaskFrame) { frame.link?.redo(frame) }

  /// Puts `frame` on top, as if it stood on `base`, which is somewhere below, and on nothing between.
  ///
  /// - Returns: What was on top before, for ``pop(_:to:)``.
  static func push(
    _ frame: TaskFrame, by dispatcher: any TaskDispatcher, standingOn base: TaskFrame?
  ) -> TaskFrame? {
    let former = innermost
    frame.link = Link(frame, by: dispatcher, standingOn: base)
    return former
  }

  /// Takes `frame` off again, and makes `former` the top.
  static func pop(_ frame: TaskFrame, to former: TaskFrame?) {
    frame.link?.undo(to: former)
    frame.link = nil
  }

  /// The first frame of this thread, from the innermost outwards, that `matches`.
  static func first(where matches: (TaskFrame) -> Bool) -> TaskFrame? {
    var next = innermost
    while let frame = next {
      if matches(frame) { return frame }
      next = frame.link?.below
    }
    return nil
  }
}
