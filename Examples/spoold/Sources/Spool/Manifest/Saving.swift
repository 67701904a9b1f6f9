internal import TaskDispatch

/// Decides when the manifest is written, and with what content. It holds only values; a worker writes.
struct Saving {
  /// What a worker must write.
  enum Job: Sendable {
    /// Lines that only have to be added, and facts.
    case add([Catalogue.Change], [StampLine])
    /// A new manifest, with these differences.
    case replace([Catalogue.Change], [StampLine])
    /// A new file of stamps, without useless facts.
    case tidy(Catalogue)
  }

  /// The result of a job.
  struct Outcome: Sendable {
    /// How many of the lines, and how many of the facts were written.
    var lines = 0
    var facts = 0
    var stop: Stop?
    /// How many facts the file has.
    var stampCount = 0
    /// How long the job took.
    var time = Duration.zero
  }

  /// How often the manifest may be replaced. If a replacement takes long, the next one waits longer, so
  /// that at most a tenth of the time is spent on it.
  var interval: Duration
  /// Whether a worker is writing.
  private(set) var isOut = false
  /// Why something cannot be written; nil as long as everything can.
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
      // This comes first. If there were always something else to do, useless facts would fill the disk.
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
    // Both times must have come. A timer for the earlier one would find nothing to do, and be set again
    // at once.
    return max(replaceAt, retryAt ?? replaceAt)
  }

  /// Takes in the result of a job.
  ///
  /// - Returns: Whether that is news: writing fails since now, or works again since now.
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
    // The facts must not fill the memory while nothing can be written.
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

  /// Writes everything that is not written yet, on the calling thread, and synchronizes it to the disk.
  ///
  /// - Returns: Why that was not possible, else nil.
  mutating func finish(_ catalogue: inout Catalogue, _ files: inout ManifestFiles) -> Stop? {
    // The changes include what an unfinished job had taken, and so this counts as a replacement.
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

  /// Besides the useful facts, as many again and a thousand may be useless.
  private func hasMuchOfNoUse(_ catalogue: Catalogue) -> Bool {
    stampCount > mostOfUse(catalogue)
  }

  private func mostOfUse(_ catalogue: Catalogue) -> Int { 2 * catalogue.count + 1_000 }
}

extension ManifestFiles {
  /// Performs a job. Call it on a worker: it waits for the disk.
  mutating func perform(_ job: Saving.Job) -> Saving.Outcome {
    var outcome = Saving.Outcome()
    do throws(Stop) {
      try requireInPlace()
      switch job {
      case .add(let lines, let facts):
        // Facts first: a digest whose line was not written is then not lost.
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
