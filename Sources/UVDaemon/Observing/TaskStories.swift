#if Daemon
  internal import TaskDispatch

  /// The events that were reported so far of each task, in any order, until all have come.
  ///
  /// Several threads call an observer, and a thread may be held up between an event and its report. So a worker's
  /// report of the start and the end of a task may overtake the submitting thread's `.enqueued` and the loop's
  /// `.due`. A story is therefore complete only when each event has come that is sure to come:
  ///
  /// ```
  /// never started     .enqueued            .finished(.cancelled, .expired)
  /// a sleep           .enqueued  .due      .finished(.completed)
  /// a body            .enqueued  .started  .finished(.completed, .failed, .abandoned)
  /// ```
  ///
  /// A timer has `.due` as well, but its other events do not say that it is a timer. So `.due` begins no story: it
  /// could come after the end of its own.
  struct TaskStories {
    /// The times of a task whose body has started, and has ended or was abandoned.
    struct Told: Equatable {
      let readyAt: DispatcherInstant
      let startedAt: DispatcherInstant
      /// Nil if the body was abandoned: it still runs.
      let endedAt: DispatcherInstant?
    }

    private struct Story {
      var isAccepted = false
      var dueAt: DispatcherInstant?
      var startedAt: DispatcherInstant?
      var end: (outcome: Outcome, time: DispatcherInstant)?

      /// Whether every event has come that is sure to come. A sleep has no start; one thread reports that it came due
      /// and then that it has ended. One thread also reports the start and then the end of a body.
      var isComplete: Bool {
        guard isAccepted, let end else { return false }
        return switch end.outcome {
        case .completed, .failed: startedAt != nil || dueAt != nil
        case .abandoned: startedAt != nil
        case .cancelled, .expired, .refused: true
        }
      }
    }

    private var stories: [TaskID: Story] = [:]
    /// Tasks whose `.due` has come before all their other events, or after them.
    private var early: [TaskID: DispatcherInstant] = [:]
    /// Few tasks are here at a time: a thread has to be held up for as long as a timer takes. Those whose `.due` came
    /// last never leave by themselves, and must not fill the memory.
    private static let mostEarly = 64

    /// How many stories are open.
    var count: Int { stories.count }
    /// How many tasks have come due of which no other event is known.
    var earlyCount: Int { early.count }

    /// Takes in an event.
    ///
    /// - Returns: The times of a body, once all of them are known.
    mutating func hear(_ event: TaskEvent) -> Told? {
      let id = event.task.id
      switch event.kind {
      case .due:
        guard stories[id] == nil else { break }
        if early.count >= Self.mostEarly { early = [:] }
        early[id] = event.time
        return nil
      // The task had waited for room, or was never accepted.
      case .refused:
        stories[id] = nil
        return nil
      case .enqueued, .started, .finished: break
      case .cancellationRequested, .stalled, .registered, .unregistered, .escaped: return nil
      }
      var story = stories.removeValue(forKey: id) ?? Story(dueAt: early.removeValue(forKey: id))
      switch event.kind {
      case .enqueued: story.isAccepted = true
      case .due: story.dueAt = event.time
      case .started: story.startedAt = event.time
      case .finished(let outcome): story.end = (outcome, event.time)
      default: break
      }
      guard story.isComplete, let end = story.end else {
        stories[id] = story
        return nil
      }
      guard let startedAt = story.startedAt else { return nil }
      return Told(
        readyAt: story.dueAt ?? event.task.enqueuedAt, startedAt: startedAt,
        endedAt: end.outcome.hasEnded ? end.time : nil)
    }
  }

  extension Outcome {
    /// Whether a body that had started has ended.
    fileprivate var hasEnded: Bool {
      if case .abandoned = self { false } else { true }
    }
  }
#endif
