internal import TaskDispatch

extension KeeperState {
  /// How often a file may be found unsettled. A file that is still unsettled then is written to all the
  /// time.
  private static let mostTries = 4

  /// Takes in the result of reading a file.
  mutating func takeIn(
    _ path: BytePath, _ result: Result<FileReader.Reading, SystemError>,
    settling: Settling, at now: DispatcherInstant
  ) {
    guard let attempt = reading.removeValue(forKey: path) else { return }
    switch result {
    case .success(.done(let digest, let stamp)):
      noteNoShortage()
      problems[path] = nil
      let fact = StampLine(digest: digest, stamp: stamp, path: path)
      counts.read.files += 1
      counts.read.bytes += Int(stamp.size)
      catalogue.set(fact)
      saving.note(fact)
    case .success(.gone):
      problems[path] = nil
      if catalogue.remove(path) { counts.gone += 1 }
    case .success(.unsettled(let stamp)) where attempt.tries + 1 < Self.mostTries:
      pending.hold(
        path, since: now, until: now.advanced(by: settling.time(for: stamp)),
        Pending.Attempt(quiet: stamp, tries: attempt.tries + 1))
    case .success(.unsettled), .success(.changed):
      giveUp(path, .changed(path))
      // The file may be written to without a notice, so it is tried again later.
      guard phase == .keeping else { return }
      pending.hold(
        path, since: now, until: now.advanced(by: pending.patience.atMost), Pending.Attempt())
    // This happens only when everything ends. The end reports what was not read.
    case .success(.cancelled): found.append(path)
    case .failure(let error) where error.isShortage:
      let due = noteShortage(error, at: now)
      pending.hold(path, since: now, until: due, attempt)
    case .failure(let error): giveUp(path, .unreadable(path, error))
    }
  }

  /// Removes the line of a file, since it is not known whether the line is still true.
  mutating func giveUp(_ path: BytePath, _ problem: Problem) {
    catalogue.remove(path)
    tell(problem)
  }

  /// Reports a problem, once for as long as it lasts.
  mutating func tell(_ problem: Problem) {
    guard problems.updateValue(problem, forKey: problem.path) != problem else { return }
    notices.append(.problem(problem))
  }

  /// Takes in the result of writing the manifest.
  mutating func takeIn(_ job: Saving.Job, _ outcome: Saving.Outcome, at now: DispatcherInstant) {
    let isNews = saving.takeIn(job, outcome, &catalogue, at: now)
    if case .replaced = outcome.stop { stop = stop ?? outcome.stop }
    guard isNews, stop == nil else { return }
    notices.append(saving.obstacle.map { .cannotSave($0) } ?? .canSaveAgain)
  }
}
