internal import TaskDispatch

/// Takes the stacks of threads, and names the functions in them. One for the process.
struct StackTracer: Sendable {
  private static let known = Locked<StackTracer?>(nil)

  /// The one of the process. The first call makes it, and takes the loader's lock: not on a watchdog's thread, since a
  /// thread that is stuck may hold that lock. So it is made under no other lock.
  static var shared: StackTracer {
    if let tracer = known.withLock({ $0 }) { return tracer }
    let made = StackTracer()
    return known.withLock { known in
      if known == nil { known = made }
      return known!
    }
  }

  private let unwinder: Unwinder
  private let names: FrameNames

  private init() {
    let images = LoadedImage.all()
    unwinder = Unwinder(images: images)
    names = FrameNames(images)
  }

  /// Makes the process ready to send a signal.
  ///
  /// - Throws: ``UVError`` if the system does not let the signal be handled, or has no descriptors left. A process that
  ///   may not read its own memory can still be watched; its stacks have an ``StackTrace/Absence``.
  func prepare(_ capture: StackCapture) throws(UVError) {
    let status = StackSample.prepare(signal: capture.signal.rawValue)
    guard status == 0 || StackSample.isHidden(status) else {
      throw UVError(call: "sigaction, or open of /proc/self/mem,", status: -status)
    }
  }

  /// The stack of a thread. Any thread but that one, under no lock.
  ///
  /// The sample is there after some tens of microseconds. Names take longer, since the debug information is read for
  /// them: a large program's takes tenths of a second.
  ///
  /// - Parameter isWanted: Asked between the two. If the answer is no, the frames are not named.
  func trace(
    _ thread: ThreadID, _ capture: StackCapture, if isWanted: () -> Bool
  ) -> StackTrace {
    let sample: StackSample
    do throws(StackSample.Failure) {
      sample = try StackSample.take(of: thread, signal: capture.signal.rawValue)
    } catch {
      return StackTrace(absence: StackTrace.Absence(error))
    }
    guard isWanted() else { return StackTrace(absence: .ended) }
    return StackTrace(frames: names.frames(unwinder.frames(of: sample), unwinder))
  }
}

extension StackTrace.Absence {
  fileprivate init(_ failure: StackSample.Failure) {
    self =
      switch failure {
      case .gone: .ended
      case .silent: .silent
      case .replaced: .replaced
      case .hidden: .hidden
      case .restless: .restless
      case .unsupported: .unsupported
      }
  }
}
