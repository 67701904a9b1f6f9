internal import TaskDispatch

/// What workers do for a keeper. The foreground submits each step, and each step's reply runs on the
/// foreground.
extension Keeper {
  func perform(_ step: KeeperState.Step) {
    switch step {
    case .watch(let directory): watch(directory)
    case .list(let directory): list(directory)
    case .read(let path, let attempt): read(path, attempt)
    case .save(let job): save(job)
    case .unwatch(let watches): for watch in watches { inotify?.unwatch(watch) }
    case .end: break
    }
  }

  private func watch(_ directory: BytePath) {
    walking.async(label: "watch \(directory)") { [reader, inotify] in
      try inotify!.watch(directory, in: reader.spool)
    } then: { result in
      self.state.withValue {
        $0.takeIn(directory, result.ofSystem, at: self.dispatcher.now)
      }
      self.goOn()
    }
  }

  private func list(_ directory: BytePath) {
    let limit = state.withValue { $0.settings.limits.entries }
    walking.async(label: "list \(directory)") { [lister] in
      try lister.withValue { lister throws(SystemError) in try lister.next(directory, limit) }
    } then: { result in
      self.state.withValue { $0.takeIn(directory, result.ofSystem, at: self.dispatcher.now) }
      self.goOn()
    }
  }

  private func read(_ path: BytePath, _ attempt: Pending.Attempt) {
    dispatcher.background.async(label: "read \(path)") { [reader] in
      try reader.read(path, quietSince: attempt.quiet)
    } then: { result in
      self.state.withValue {
        $0.takeIn(path, result.ofSystem, settling: self.reader.settling, at: self.dispatcher.now)
      }
      self.goOn()
    }
  }

  private func save(_ job: Saving.Job) {
    writing.async(label: Self.saving) { [files, dispatcher] in
      files.withValue { files in
        let began = dispatcher.now
        var outcome = files.perform(job)
        outcome.time = began.duration(to: dispatcher.now)
        return outcome
      }
    } then: { result in
      guard case .success(let outcome) = result else { return }
      self.state.withValue { $0.takeIn(job, outcome, at: self.dispatcher.now) }
      self.goOn()
    }
  }
}
