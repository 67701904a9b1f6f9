/// What an intake knows. It is confined to the foreground, so it needs no lock.
struct IntakeState: ~Copyable {
  /// The next thing to do.
  enum Step {
    case walk
    case read(Walk.Found)
    case end
  }

  private var manifest: Manifest
  private(set) var summary = Summary()
  /// The files that the run has finished with, whatever the result.
  private(set) var passed = Amount()
  /// Files that were found and are not handed out yet; the last is the next.
  private var waiting: [Walk.Found] = []
  /// How many files are with the workers.
  private var reading = 0
  private var isWalking = false
  /// Whether the walk has come to its end.
  private var isWalked = false
  private(set) var isOver = false
  private var unreadDirectories: [BytePath] = []
  private var stop: Stop?

  init(_ manifest: consuming Manifest) { self.manifest = manifest }

  /// Decides on the next step, and counts it as made. Nil if a worker must come back first.
  mutating func nextStep(_ limits: Intake.Limits) -> Step? {
    guard stop == nil, !isOver else { return nil }
    while reading < limits.files, let found = waiting.popLast() {
      if manifest.owns(found.stamp.identity) { continue }
      if manifest.recall(found.path, found.stamp) {
        summary.unchanged += 1
        passed.add(found)
      } else {
        reading += 1
        return .read(found)
      }
    }
    guard waiting.isEmpty else { return nil }
    if !isWalked {
      guard !isWalking else { return nil }
      isWalking = true
      return .walk
    }
    guard reading == 0 else { return nil }
    isOver = true
    return .end
  }

  mutating func takeIn(_ batch: Walk.Batch) {
    isWalking = false
    isWalked = batch.isLast
    waiting = batch.files.reversed()
    for problem in batch.problems {
      summary.failed += 1
      switch problem {
      case .unreadableDirectory(let path, _): unreadDirectories.append(path)
      case .unreadable(let path, _), .changed(let path): manifest.addUnread(path)
      }
    }
  }

  /// Writes the line of a file that was read.
  ///
  /// - Returns: Why the file gets no line, else nil.
  /// - Throws: A ``Stop``, if the reason concerns more than this file.
  mutating func takeIn(
    _ found: Walk.Found, _ reading: Result<FileReader.Reading, any Error>
  ) throws -> Problem? {
    let path = found.path
    self.reading -= 1
    passed.add(found)
    guard stop == nil else { return nil }
    let problem: Problem
    do {
      switch try reading.get() {
      case .done(let digest, let stamp):
        try manifest.add(path, digest, stamp)
        summary.read.files += 1
        summary.read.bytes += Int(stamp.size)
        return nil
      // A file that is gone is no problem: it just does not exist any more.
      case .gone, .cancelled: return nil
      case .changed, .unsettled: problem = .changed(path)
      }
    } catch let error as SystemError {
      if error.isShortage { throw Stop.shortage(path, error) }
      problem = .unreadable(path, error)
    }
    manifest.addUnread(path)
    summary.failed += 1
    return problem
  }

  /// Records why the intake cannot go on. The first reason counts.
  mutating func note(_ error: any Error) { stop = stop ?? (error as? Stop) ?? .interrupted }

  /// Completes the manifest.
  mutating func finish() throws(Stop) {
    if let stop { throw stop }
    guard isOver else { throw .interrupted }
    summary.gone = try manifest.commit(unread: unreadDirectories)
  }
}
