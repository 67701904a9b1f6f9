#if Daemon
  internal import TaskDispatch

  /// What has been told so far of each task, in whatever order, until all of it was.
  ///
  /// An observer is called from several threads, and a thread may stand still between an event and its
  /// telling: the worker's start and end of a task may overtake the submitter's `.enqueued` and the
  /// loop's `.due`. So nothing ends a story but knowing that each event which is sure to come has come:
  ///
  /// ```
  /// never started     .enqueued            .finished(.cancelled, .expired)
  /// a sleep           .enqueued  .due      .finished(.completed)
  /// a body            .enqueued  .started  .finished(.completed, .failed, .abandoned)
  /// ```
  ///
  /// `.due` comes besides for a timer, and nobody knows of which: it begins no story, since it could
  /// come after the end of its own.
  struct TaskStories {
    /// Of one whose body has started and ended, or was given up.
    struct Told: Equatable {
      let readyAt: DispatcherInstant
      let startedAt: DispatcherInstant
      /// Nil if it was given up: it runs on.
      let endedAt: DispatcherInstant?
    }

    private struct Story {
      var isAccepted = false
      var dueAt: DispatcherInstant?
      var startedAt: DispatcherInstant?
      var end: (outcome: Outcome, time: DispatcherInstant)?

      /// Whether all has come that is sure to come. A sleep has no start, and is told to be due and to
      /// have ended in this order: its thread tells both. So are the start and the end of a body.
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
    /// Came due before anything else was told of them, or after all was.
    private var early: [TaskID: DispatcherInstant] = [:]
    /// They are few: a thread has to stand still for as long as a timer takes. Those that came too late
    /// may not fill the memory.
    private static let mostEarly = 64

    /// How many are open.
    var count: Int { stories.count }
    /// How many came due and are known of nothing else.
    var earlyCount: Int { early.count }

    /// - Returns: The times of a body, once all of them are known.
    mutating func hear(_ event: TaskEvent) -> Told? {
      let id = event.task.id
      switch event.kind {
      case .due:
        guard stories[id] == nil else { break }
        if early.count >= Self.mostEarly { early = [:] }
        early[id] = event.time
        return nil
      // Of one that had waited for room, or of one that was never accepted.
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
    /// Whether a body that was started has ended.
    fileprivate var hasEnded: Bool {
      if case .abandoned = self { false } else { true }
    }
  }
#endif
