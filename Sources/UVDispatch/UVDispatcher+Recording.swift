public import TaskDispatch

extension UVDispatcher {
  /// What the dispatcher did last, as far back as the rings of its threads reach. Needs ``Configuration/recorder``.
  ///
  /// Each thread notes what happens to the tasks that it submits and runs in a ring of its own, in some nanoseconds and
  /// without a lock; the oldest is overwritten. This copies the rings while their threads go on. What happens during the
  /// call may be in the recording or not. Any thread, under no lock, also in a body; some tens of milliseconds, and some
  /// megabytes of memory, for each mebibyte. Empty in a forked child.
  ///
  /// Labels are cut at 96 bytes. A task that waits without a number, as plain tasks do, gets one in the recording: the next that is free.
  public func recording() -> Recording {
    guard let recorder = doors.recorder else {
      refuse(
        "recording() needs a recorder: configure the dispatcher with recorder: RecorderOptions()")
    }
    if ForkGuard.isForked {
      return Recording(
        label: engine.settings.label, origin: nil, isComplete: false, queues: [], threads: [],
        tasks: [], events: [])
    }
    return recorder.recording(label: engine.settings.label)
  }
}
