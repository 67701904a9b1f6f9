internal import TaskDispatch

/// When the manifest is written, and what to. Values only; a worker does it.
struct Saving {
  /// What a worker is to write.
  enum Job: Sendable {
    /// Lines that only have to be added, and facts.
    case add([Catalogue.Change], [StampLine])
    /// Another manifest, with these differences.
    case replace([Catalogue.Change], [StampLine])
    /// Another file of stamps, without what is of no use.
    case tidy(Catalogue)
  }

  /// What came of it.
  struct Outcome: Sendable {
    /// How many of the lines, and how many of the facts were written.
    var lines = 0
    var facts = 0
    var stop: Stop?
    /// How many facts the file has.
    var stampCount = 0
    /// How long it took.
    var time = Duration.zero
  }

  /// How often the manifest may be replaced. If that takes long, it is done more rarely: at most a
  /// tenth of the time goes into it.
  var interval: Duration
  /// Whether a worker is at it.
  private(set) var isOut = false
  /// What cannot be written; nil as long as everything can.
  private(set) var obstacle: Stop?
  private(set) var replacements = 0
  private var facts: [StampLine] = []
  private var stampCount: Int
  private var retryAt: DispatcherInstant?
  private var delay = Self.firstDelay
  private var replaceAt = DispatcherInstant.start

  private static let firstDelay = Duration.seconds(1)
  private static let longestDelay = Duration.seconds(30)
  /// How many lines are added at a time.
  private static let most = 4_096

  init(interval: Duration, stampCount: Int) {
    self.interval = interval
    self.stampCount = stampCount
  }

  /// How many facts wait to be written.
  var factCount: Int { facts.count }

  mutating func note(_ fact: StampLine) { facts.append(fact) }

  /// The next job, if one is due.
  mutating func next(_ catalogue: inout Catalogue, at now: DispatcherInstant) -> Job? {
    guard !isOut, retryAt.map({ $0 <= now }) ?? true else { return nil }
    let job: Job
    if hasMuchOfNoUse(catalogue) {
      // Before all else: where there is always something else to do, this would fill the disk.
      isOut = true
      return .tidy(catalogue)
    }
    if catalogue.isStale, replaceAt <= now {
      job = .replace(catalogue.changes(), facts)
    } else if catalogue.hasFresh || !facts.isEmpty {
      let lines = catalogue.takeFresh(Self.most)
      guard !lines.isEmpty || !facts.isEmpty else { return nil }
      job = .add(lines, facts)
    } else {
      return nil
    }
    facts = []
    isOut = true
    return job
  }

  /// When there may be something to do that is not due now.
  func nextTime(_ catalogue: Catalogue) -> DispatcherInstant? {
    guard !isOut else { return nil }
    let hasMore = catalogue.hasFresh || !facts.isEmpty || hasMuchOfNoUse(catalogue)
    if hasMore, let retryAt { return retryAt }
    guard catalogue.isStale else { return nil }
    // Both must have come: whoever looked at the earlier one would find nothing, and look at once again.
    return max(replaceAt, retryAt ?? replaceAt)
  }

  /// Takes in what came of a job.
  ///
  /// - Returns: Whether that is news: it cannot be written any more, or it can be again.
  mutating func takeIn(
    _ job: Job, _ outcome: Outcome, _ catalogue: inout Catalogue, at now: DispatcherInstant
  ) -> Bool {
    isOut = false
    stampCount = outcome.stampCount
    switch job {
    case .add(let lines, let facts):
      catalogue.noteSaved(lines.prefix(outcome.lines))
      catalogue.putBack(Array(lines.dropFirst(outcome.lines)))
      self.facts = facts.dropFirst(outcome.facts) + self.facts
    case .replace(let changes, let facts):
      self.facts = facts.dropFirst(outcome.facts) + self.facts
      replaceAt = now.advanced(by: max(interval, outcome.time * 9))
      guard outcome.stop == nil else { break }
      replacements += 1
      catalogue.noteSaved(changes)
      catalogue.noteRewritten()
    case .tidy: break
    }
    // While nothing can be written, they must not fill the memory.
    if facts.count > mostOfUse(catalogue) { facts.removeAll { !catalogue.isNewest($0) } }
    let wasInTrouble = obstacle != nil
    obstacle = outcome.stop
    guard obstacle != nil else {
      retryAt = nil
      delay = Self.firstDelay
      return wasInTrouble
    }
    retryAt = now.advanced(by: delay)
    delay = min(delay * 2, Self.longestDelay)
    return !wasInTrouble
  }

  /// Writes everything that is not written yet, here and now, and sees it to the disk.
  ///
  /// - Returns: Why that was not possible.
  mutating func finish(_ catalogue: inout Catalogue, _ files: inout ManifestFiles) -> Stop? {
    // What a job had taken along that nobody has done is among the changes, and counts as one.
    let mustReplace = catalogue.isStale || isOut
    isOut = false
    retryAt = nil
    replaceAt = mustReplace ? .start : .distantFuture
    if mustReplace {
      let job = Job.replace(catalogue.changes(), facts)
      _ = takeIn(job, files.perform(job), &catalogue, at: .start)
    }
    while obstacle == nil, let job = next(&catalogue, at: .start) {
      _ = takeIn(job, files.perform(job), &catalogue, at: .start)
    }
    guard obstacle == nil else { return obstacle }
    do throws(Stop) {
      try files.requireInPlace()
      try files.synchronize()
    } catch { obstacle = error }
    return obstacle
  }

  /// As many facts as are of use, and as many again, may be there in vain.
  private func hasMuchOfNoUse(_ catalogue: Catalogue) -> Bool {
    stampCount > mostOfUse(catalogue)
  }

  private func mostOfUse(_ catalogue: Catalogue) -> Int { 2 * catalogue.count + 1_000 }
}

extension ManifestFiles {
  /// Does a job. On a worker: it waits for the disk.
  mutating func perform(_ job: Saving.Job) -> Saving.Outcome {
    var outcome = Saving.Outcome()
    do throws(Stop) {
      try requireInPlace()
      switch job {
      case .add(let lines, let facts):
        // Facts first: a digest of which no line is true yet is not lost.
        try append(facts, &outcome)
        for line in lines {
          try append(ManifestLine(digest: line.digest!, path: line.path))
          outcome.lines += 1
        }
      case .replace(let changes, let facts):
        try append(facts, &outcome)
        try replace(changes)
      case .tidy(let catalogue):
        try replaceStamps { catalogue.isNewest($0) }
      }
    } catch { outcome.stop = error }
    outcome.stampCount = stampCount
    return outcome
  }

  private mutating func append(
    _ facts: [StampLine], _ outcome: inout Saving.Outcome
  ) throws(Stop) {
    for fact in facts {
      try append(fact)
      outcome.facts += 1
    }
  }

  private mutating func replace(_ changes: [Catalogue.Change]) throws(Stop) {
    let digests: [BytePath: Digest?] = Dictionary(
      uniqueKeysWithValues: changes.map { ($0.path, $0.digest) })
    var done: Set<BytePath> = []
    func renewed(_ line: ManifestLine) -> ManifestLine? {
      guard let digest = digests[line.path] else { return line }
      guard done.insert(line.path).inserted, let digest else { return nil }
      return ManifestLine(digest: digest, path: line.path)
    }
    func added() -> [ManifestLine] {
      changes.compactMap { change in
        guard !done.contains(change.path), let digest = change.digest else { return nil }
        return ManifestLine(digest: digest, path: change.path)
      }
    }
    try replaceLines(adding: added, renewed)
    try synchronize()
  }
}
