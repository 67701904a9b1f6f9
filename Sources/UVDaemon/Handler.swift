#if Daemon
  internal import Logging
  internal import TaskDispatch

  /// A handler that a component has registered. It runs in a Swift Task that prefers the foreground, with a deadline.
  struct Handler: Sendable {
    typealias Perform = @Sendable () async throws -> Void

    /// The function that the component has called to register it, for messages.
    let function: String
    let site: CallSite
    let perform: Perform

    enum Ending: Sendable {
      case ended
      case failed(String)
      /// Its Task was cancelled, and may still run.
      case leftBehind(String)
    }

    private var name: String { "\(function) of \(site)" }

    /// Calls the handler, and returns when it has ended or is left behind. On the foreground.
    ///
    /// - Parameters:
    ///   - deadline: How long it may take. Negative counts as zero.
    ///   - onLeaving: Gets a closure that leaves the handler behind before its deadline, and nil once it is too late
    ///     for that.
    func call(
      on dispatcher: any TaskDispatcher, within deadline: Duration, logger: Logger,
      onLeaving: ((@Sendable () -> Void)?) -> Void = { _ in }
    ) async -> Ending {
      let deadline = max(.zero, deadline)
      let began = dispatcher.now
      let ending = Locked<Ending?>(nil)
      let (goesOn, ends) = AsyncStream.makeStream(of: Never.self)
      let end = { @Sendable (how: Ending) in
        let isFirst = ending.withLock { ending in
          defer { ending = ending ?? how }
          return ending == nil
        }
        ends.finish()
        return isFirst
      }
      let task = Task(executorPreference: dispatcher.foreground.executor) {
        var how = Ending.ended
        do { try await perform() } catch { how = .failed("\(error)") }
        if !end(how) { logger.info("\(name), which was left behind, has ended") }
      }
      let leave = { @Sendable in
        guard end(.leftBehind("\(name) has not ended in \(deadline.shortText)")) else { return }
        task.cancel()
      }
      let timer = dispatcher.foreground.after(deadline, label: "deadline of \(function)") {
        leave()
      }
      onLeaving(leave)
      for await _ in goesOn {}
      timer.cancel()
      onLeaving(nil)
      let took = began.duration(to: dispatcher.now)
      guard let how = ending.withLock({ $0 }) else { return .ended }
      if case .leftBehind = how { return how }
      if took > deadline {
        logger.warning(
          "\(name) has taken \(took.shortText), and \(deadline.shortText) are meant for it: it has held the loop"
        )
      }
      return how
    }
  }
#endif
