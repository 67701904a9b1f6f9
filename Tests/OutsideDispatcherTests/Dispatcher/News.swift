import TaskDispatch

/// What a section of the lock leaves to be told once the lock is free (rule 20).
struct News: ~Copyable {
  var endings = Endings()
  /// Resume Tasks that await a flush or a report.
  var resumes: [@Sendable () -> Void] = []
  var events: [TaskEvent] = []

  /// Tells all of it, under no lock.
  consuming func tell(for dispatcher: SteppedDispatcher, outsideTasks: Bool) {
    let (resumes, events) = (resumes, events)
    endings.tell(for: dispatcher, outsideTasks: outsideTasks) {
      for resume in resumes { resume() }
      for event in events { dispatcher.observer?.observe(event) }
    }
  }
}
