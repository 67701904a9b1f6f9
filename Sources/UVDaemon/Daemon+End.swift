#if Daemon
  internal import Logging
  public import UVDispatch

  extension Daemon {
    /// Calls `perform` when the daemon is asked to end, before the shutdown closes the gate: what it submits still runs,
    /// and timers still come. Any thread.
    ///
    /// Any number of components may each have a handler. They are called one after the other, the last that was
    /// registered first. The service manager has heard `STOPPING=1` by then, and how long all of it may take. A request
    /// by a signal, by ``beginShutdown(because:_:)`` or by a `ServiceGroup` runs them; `dispatcher.beginShutdown()` does
    /// not, nor does a request that leaves no time to drain. A second signal leaves those behind that have not ended.
    ///
    /// An error of `perform` is logged, with the line that has registered it, and the next handler runs. So is a handler
    /// that has not ended after its `deadline`: its Task is cancelled, and not waited for. One that was left behind may go
    /// on after the end of the dispatcher, and then on another thread than the foreground's: it should return when it is
    /// cancelled, and touch nothing that is ``Confined`` to the foreground.
    ///
    /// - Parameters:
    ///   - deadline: How long it may take. Zero or less is no time. Asked for when the end is, on the thread that asks
    ///     for it, and again on the foreground when the handler's turn comes: what a reload has changed counts.
    ///   - perform: Begins on the foreground, in a Swift Task that prefers it.
    /// - Returns: Cancelling it removes a handler that has not begun. One that is registered after the end was asked
    ///   for is never called.
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

    /// Lets the handlers run, and then the shutdown begin. Once, any thread.
    func runEndings(within longest: Duration) {
      let alarm = soundAlarm(after: longest)
      Task(executorPreference: dispatcher.foreground.executor) {
        while let ending = self.endings.next() { await self.perform(ending) }
        alarm?.end()
        self.finishEndings()
      }
    }

    /// Begins the shutdown also if the loop is stuck, and with it every timer of the dispatcher.
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

    /// Returns when the handler has ended, or is left behind. On the foreground.
    private func perform(_ ending: Endings.Ending) async {
      let handler = ending.handler
      let how = await handler.call(
        on: dispatcher, within: ending.deadline(), logger: logger, onLeaving: endings.onLeaving)
      switch how {
      case .ended: break
      case .failed(let error):
        logger.error("onEnd has failed: \(error)", metadata: ["site": "\(handler.site)"])
      case .leftBehind(let text):
        // Said of all that is left behind by a second signal.
        if !endings.isOver { logger.error("\(text): its Task is cancelled, and the next begins") }
      }
    }
  }
#endif
