/// A place to submit tasks to: a lane of a dispatcher, or a view of its background.
///
/// A small value that can be handed to code which only needs a queue. It keeps its dispatcher alive;
/// a dispatcher stores none. Calling it submits:
///
/// ```swift
/// queue { digest(file) }
/// queue(priority: .high, label: "hash") { digest(file) }
/// ```
///
/// All of its calls may be made from any thread, also from inside a task, unless they say otherwise.
/// None may be made from a signal handler.
public struct TaskQueue: Sendable {
  /// The dispatcher whose queue this is.
  public let dispatcher: any TaskDispatcher
  /// The view, or nil for a lane itself.
  public let view: QueueView?
  public let lane: Lane
  /// Whether what is submitted here runs alone in the queue (rule 6). See ``barrier``.
  public let isBarrier: Bool

  /// For dispatchers; users are given their queues.
  public init(
    dispatcher: any TaskDispatcher, view: QueueView? = nil, lane: Lane, isBarrier: Bool = false
  ) {
    require(
      view == nil || lane == .background,
      "a view belongs to the background (view: \"\(view?.label ?? "")\")")
    self.dispatcher = dispatcher
    self.view = view
    self.lane = lane
    self.isBarrier = isBarrier
  }

  /// The label that `makeQueue` was given; `foreground` or `background` for a lane itself.
  public var label: String { view?.label ?? lane.description }

  /// This queue for work that must run alone in it: after all that was submitted before, before all
  /// that is submitted later, and beside nothing else of this queue. Other queues do not notice.
  ///
  /// A priority does not pass a barrier: what stands behind it waits, however urgent. On the
  /// foreground, where everything runs alone, it changes nothing.
  public var barrier: TaskQueue {
    TaskQueue(dispatcher: dispatcher, view: view, lane: lane, isBarrier: true)
  }

  /// Whether the code that asks runs in a task of this queue, or in a `sync` body there.
  ///
  /// A task that a waiting worker runs meanwhile does not see the queues of the tasks that wait.
  public var isCurrent: Bool { dispatcher.isCurrent(self) }

  /// Traps unless ``isCurrent``.
  public func preconditionIsCurrent(fileID: StaticString = #fileID, line: UInt = #line) {
    require(
      isCurrent,
      "\(CallSite(fileID: fileID, line: line)) must run on \(label), and runs on \(Self.here)")
  }

  /// Where the caller is, for messages.
  static var here: String {
    TaskFrame.current.map { "\($0.queueLabel) (in \($0.name))" } ?? "no queue"
  }
}

extension TaskQueue {
  /// Which queue it is, without keeping anything alive. Equal for a queue and its barrier.
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
      dispatcher: ObjectIdentifier(dispatcher), view: view.map { ObjectIdentifier($0) },
      lane: lane)
  }
}

extension TaskQueue: Equatable {
  /// Whether both submit to the same queue in the same way.
  public static func == (lhs: TaskQueue, rhs: TaskQueue) -> Bool {
    lhs.identity == rhs.identity && lhs.isBarrier == rhs.isBarrier
  }
}

extension TaskQueue: CustomStringConvertible {
  public var description: String { isBarrier ? "\(label).barrier" : label }
}
