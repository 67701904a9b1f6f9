internal import TaskDispatch

/// Something that an exploration may let happen next. It is a body, with everything that it has to take first, or time
/// that passes.
struct ExploredMove {
  enum Action {
    case due
    case event
    case posted
    /// The body of a task that has taken its slot.
    case started
    /// A task takes its slot, with all tasks that would do so before it, and runs.
    case start
    /// Time passes up to this, although something else could run.
    case time(Int64)
    /// The waiting call goes on with its own wait, and no other task runs first.
    case goOn
  }

  let action: Action
  /// The task of the move.
  ///
  /// For time, it is the timer that fires, or stands for a shutdown's deadline or a waiting call's time-out. For
  /// `goOn`, it stands for the waiting call.
  let entry: Entry

  /// Whether it starts a task or lets time pass.
  var takesSlotOrTime: Bool {
    switch action {
    case .start, .time: true
    case .due, .event, .posted, .started, .goOn: false
    }
  }

  var isTime: Bool { if case .time = action { true } else { false } }
}

extension [ExploredMove] {
  /// The index of the move that does the same as `move`.
  func index(of move: ExploredMove) -> Int {
    firstIndex { $0.entry === move.entry && $0.isTime == move.isTime }!
  }
}
