/// A place to submit tasks to: a lane of a dispatcher, or a view of its background.
///
/// A small value to pass to code that needs only a queue. It keeps its dispatcher alive; a dispatcher stores
/// no `TaskQueue`. Calling it submits a task:
///
/// ```swift
/// queue { digest(file) }
/// queue.async(priority: .high, label: "hash") { digest(file) }
/// ```
///
/// Unless a call says otherwise, any thread may make it, also from inside a task. No call may be made from a
/// signal handler.
public struct TaskQueue: Sendable {
  @usableFromInline package let implementation: any DispatcherImplementation
  /// The view, or nil for a lane itself.
  public let view: QueueView?
  public let lane: Lane
  /// Whether tasks submitted here run alone in the queue (rule 6). See ``barrier``.
  public let isBarrier: Bool

  /// Makes a queue of a dispatcher. For dispatchers: users take queues from one. Traps if a view is given for
  /// the foreground.
  public init(
    dispatcher: any DispatcherImplementation, view: QueueView? = nil, lane: Lane,
    isBarrier: Bool = false
  ) {
    require(
      view == nil || lane == .background,
      "a view belongs to the background (view: \"\(view?.label ?? "")\")")
    implementation = dispatcher
    self.view = view
    self.lane = lane
    self.isBarrier = isBarrier
  }

  /// The dispatcher that runs what is submitted here.
  public var dispatcher: any TaskDispatcher { implementation }

  /// The label that `makeQueue` was given; `foreground` or `background` for a lane itself.
  public var label: String { view?.label ?? lane.description }

  /// This queue, for tasks that must run alone in it. Other queues are not affected.
  ///
  /// Such a task starts after everything submitted to this queue before has ended. What is submitted later
  /// starts when the task has ended.
  ///
  /// A priority does not pass a barrier: a task behind it waits, however urgent. On the foreground, where
  /// every task runs alone, this changes nothing.
  public var barrier: TaskQueue {
    TaskQueue(dispatcher: implementation, view: view, lane: lane, isBarrier: true)
  }

  /// Whether the calling code runs in a task of this queue, or in a `sync` body there.
  ///
  /// A blocked worker may run another task on its stack. In that task, the queues of the tasks that wait
  /// below it on the stack are not current.
  public var isCurrent: Bool { implementation.isCurrent(self) }

  /// Traps unless ``isCurrent`` is true.
  public func preconditionIsCurrent(fileID: StaticString = #fileID, line: UInt = #line) {
    require(
      isCurrent,
      "\(CallSite(fileID: fileID, line: line)) must run on \(label), and runs on \(Self.here)")
  }

  /// The queue and the task that the calling code runs in, for messages.
  static var here: String {
    TaskContext.current.map { "\($0.queueLabel) (in \($0.name))" } ?? "no queue"
  }
}

extension TaskQueue {
  /// Identifies a queue without keeping it alive. A queue and its barrier have the same identity.
  public struct Identity: Sendable, Hashable {
    public let dispatcher: ObjectIdentifier
    public let view: ObjectIdentifier?
    public let lane: Lane

    public init(dispatcher: ObjectIdentifier, view: ObjectIdentifier?, lane: Lane) {
      self.dispatcher = dispatcher
      self.view = view
      self.lane = lane
    }
  }

  public var identity: Identity {
    Identity(
      dispatcher: ObjectIdentifier(implementation), view: view.map { ObjectIdentifier($0) },
      lane: lane)
  }
}

extension TaskQueue: Equatable {
  /// Whether both submit to the same queue, and either both as barriers or neither.
  public static func == (lhs: TaskQueue, rhs: TaskQueue) -> Bool {
    lhs.identity == rhs.identity && lhs.isBarrier == rhs.isBarrier
  }
}

extension TaskQueue: CustomStringConvertible {
  public var description: String { isBarrier ? "\(label).barrier" : label }
}
