#if Daemon
  internal import Logging
  public import UVDispatch

  extension Daemon {
    /// Calls `perform` when the daemon is asked to end, before the shutdown begins. Any thread.
    ///
    /// What `perform` submits still runs, and timers still fire.
    ///
    /// Any number of components may each have a handler. The handlers run one after the other, the last registered
    /// first. By then the service manager has got `STOPPING=1`, with how long all of this may take. The handlers run
    /// for a request by a signal, by ``beginShutdown(because:_:)`` or by a `ServiceGroup`. They do not run for
    /// `dispatcher.beginShutdown()`, nor for a request that leaves no time to drain. A second signal leaves behind
    /// the handlers that have not ended.
    ///
    /// If `perform` throws, the error is logged with the line that registered the handler, and the next handler runs.
    /// If it takes longer than its `deadline`, that is logged, its Task is cancelled, and the next handler runs
    /// without waiting for it. A handler that was left behind may still run after the end of the dispatcher, and then
    /// on another thread than the foreground's. So it should return when it is cancelled, and touch nothing that is
    /// ``Confined`` to the foreground.
    ///
    /// - Parameters:
    ///   - deadline: How long `perform` may take. Zero or less is no time. Evaluated on the thread that asks for the
    ///     end, and again on the foreground just before the handler runs, so a change by a reload takes effect.
    ///   - perform: Begins on the foreground, in a Swift Task that prefers it.
    /// - Returns: Cancelling it removes the handler, unless that has begun. After the end was asked for, the handler
    ///   is not registered, and it is never called.
    @discardableResult
    public func onEnd(
      deadline: @autoclosure @escaping @Sendable () -> Duration = .seconds(10),
      fileID: StaticString = #fileID, line: UInt = #line,
      perform: @escaping @Sendable () async throws -> Void
    ) -> Registration {
      let handler = Handler(
        function: "onEnd", site: CallSite(fileID: fileID, line: line), perform: perform)
      guard let number = endings.add(deadline, handler) else { return Registration {} }
      return Registration { [weak endings] in endings?.remove(number) }
    }

    /// Runs the handlers, and then begins the shutdown. Once, any thread.
    ///
    /// - Parameter longest: How long the handlers may take together.
    func runEndings(within longest: Duration) {
      let alarm = soundAlarm(after: longest)
      Task(executorPreference: dispatcher.foreground.executor) {
        while let ending = self.endings.next() { await self.perform(ending) }
        alarm?.end()
        self.finishEndings()
      }
    }

    /// Starts a thread that begins the shutdown if the handlers have not ended one second after their time: a loop
    /// that is stuck runs no timer.
    ///
    /// - Returns: The alarm. Nil on a fake, or if the system has no room for a thread.
    private func soundAlarm(after longest: Duration) -> ShutdownDeadline? {
      guard let dispatcher = dispatcher as? UVDispatcher else { return nil }
      do throws(UVError) {
        let alarm = ShutdownDeadline()
        let time = monotonicNanoseconds().addingClamped((longest + .seconds(1)).clampedNanoseconds)
        try alarm.start(named: "daemon", at: time) { [weak dispatcher, endings, logger] in
          guard let dispatcher, let policies = endings.finish() else { return }
          logger.error(
            "the loop has not come to the end of what is to be done before a shutdown, which begins now"
          )
          for policy in policies { dispatcher.beginShutdown(policy) }
        }
        return alarm
      } catch {
        logger.warning("a loop that is stuck would keep the shutdown from beginning: \(error)")
        return nil
      }
    }

    private func finishEndings() {
      for policy in endings.finish() ?? [] { dispatcher.beginShutdown(policy) }
    }

    /// Runs a handler, and returns when it has ended or is left behind. On the foreground.
    private func perform(_ ending: Endings.Ending) async {
      let handler = ending.handler
      let how = await handler.call(
        on: dispatcher, within: ending.deadline(), logger: logger, onLeaving: endings.onLeaving)
      switch how {
      case .ended: break
      case .failed(let error):
        logger.error("onEnd has failed: \(error)", metadata: ["site": "\(handler.site)"])
      case .leftBehind(let text):
        // Not logged for each handler that a second signal leaves behind.
        if !endings.isOver { logger.error("\(text): its Task is cancelled, and the next begins") }
      }
    }
  }
#endif
