extension WorkItem {
  /// Whether it is accepted first and comes into its queue later: when a time has come, or when a group is empty.
  package var comesLater: Bool {
    switch kind {
    case .timer: !(self is RunItem)
    case .repeating, .sleep, .notification: true
    case .task, .reply, .job, .event: false
    }
  }
}

extension Recording.Kind {
  package init(_ outcome: Outcome) {
    self =
      switch outcome {
      case .completed: .completed
      case .failed: .failed
      case .cancelled: .cancelled
      case .expired: .expired
      case .refused: .refused
      case .abandoned: .abandoned
      }
  }

  /// - Parameter comesLater: Whether the task comes into its queue after it was accepted: see ``WorkItem/comesLater``.
  package init(_ kind: TaskEvent.Kind, comesLater: Bool) {
    self =
      switch kind {
      case .enqueued: comesLater ? .scheduled : .enqueued
      case .refused: .refused
      case .started: .started
      case .finished(let outcome): Self(outcome)
      case .cancellationRequested: .askedToStop
      case .stalled: .stalled
      case .due: .due
      case .registered: .registered
      case .unregistered: .unregistered
      case .escaped: .escaped
      }
  }
}
