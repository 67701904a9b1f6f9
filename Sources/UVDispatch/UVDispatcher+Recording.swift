public import TaskDispatch

extension UVDispatcher {
  /// What the dispatcher did last, as far back as the rings of its threads reach. Needs ``Configuration/recorder``.
  ///
  /// Each thread notes what happens to the tasks that it submits and runs in a ring of its own, in some nanoseconds and
  /// without a lock; the oldest is overwritten. This copies the rings while their threads go on. What happens during the
  /// call may be in the recording or not. Any thread, under no lock, also in a body; some milliseconds for each mebibyte.
  ///
  /// A task that waits without a number, as plain tasks do, gets one in the recording: the next that is free.
  public func recording() -> Recording {
    guard let recorder = doors.recorder else {
      refuse(
        "recording() needs a recorder: configure the dispatcher with recorder: RecorderOptions()")
    }
    return recorder.recording(label: engine.settings.label)
  }
}
