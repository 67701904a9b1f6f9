internal import Glibc
internal import TaskDispatch

extension KeeperState {
  /// Takes in that a directory is watched now, or why not.
  mutating func takeIn(
    _ directory: BytePath, _ watch: Result<Inotify.Watch, SystemError>, at now: DispatcherInstant
  ) {
    scan.isOut = false
    switch watch {
    case .success(let watch): _ = begin(directory, watch)
    case .failure(let error) where error.meansGone && directory.bytes.isEmpty:
      // The spool is open, so it exists: what is missing is the system's list of open files.
      noteBlindness(error)
      _ = begin(directory, nil)
    case .failure(let error) where error.meansGone: drop(directory)
    case .failure(let error) where error.code == ENOSPC || error.code == ENOMEM:
      noteBlindness(error)
      _ = begin(directory, nil)
    // If a directory cannot be watched for another reason, reading it is tried, which says why.
    case .failure: _ = begin(directory, nil)
    }
  }

  /// Lets the directory be listed next. False if the directory above it is gone.
  mutating func begin(_ directory: BytePath, _ watch: Inotify.Watch?) -> Bool {
    guard tree.bind(directory, to: watch) else {
      // The directory is elsewhere by now, or will be found again.
      return false
    }
    scan.listing = Scan.Listing(
      directory: directory, unseenFiles: Set(catalogue.names(in: directory)),
      unseenDirectories: catalogue.subdirectories(in: directory).union(tree.children(of: directory))
    )
    return true
  }

  /// Takes in the next entries of a directory.
  mutating func takeIn(
    _ directory: BytePath, _ result: Result<Lister.Batch, SystemError>, at now: DispatcherInstant
  ) {
    scan.isOut = false
    guard var listing = scan.listing.take() else { return }
    switch result {
    case .success(let batch):
      noteNoShortage()
      takeIn(batch, &listing, at: now)
      if batch.isLast { finish(listing) } else { scan.listing = listing }
    case .failure(let error) where error.isShortage:
      scanAt = noteShortage(error, at: now)
      scan.add(directory)
    case .failure(let error) where directory.bytes.isEmpty:
      if error.meansGone {
        stop = stop ?? .spoolGone
      } else if error.code == ESTALE {
        stop = stop ?? .spoolReplaced
      } else {
        tell(.unreadableDirectory(directory, error))
      }
    case .failure(let error) where error.meansGone: drop(directory)
    case .failure(let error): tell(.unreadableDirectory(directory, error))
    }
  }

  private mutating func takeIn(
    _ batch: Lister.Batch, _ listing: inout Scan.Listing, at now: DispatcherInstant
  ) {
    for file in batch.files {
      listing.unseenFiles.remove(file.path.lastName)
      if own.contains(file.path) { continue }
      if catalogue.knows(file.path, file.stamp) {
        counts.unchanged += 1
      } else {
        found.append(file.path)
      }
    }
    for directory in batch.directories {
      listing.unseenDirectories.remove(directory.lastName)
      scan.add(directory)
    }
    for problem in batch.problems { giveUp(problem.path, problem) }
    problems[listing.directory] = nil
  }

  /// Looks at every known name that was not listed, since its file may have come back. It does so in
  /// the order of the names: a set has another order in each run, and then a run could not be repeated.
  private mutating func finish(_ listing: Scan.Listing) {
    for path in listing.paths(of: listing.unseenFiles) { found.append(path) }
    for path in listing.paths(of: listing.unseenDirectories) { scan.add(path) }
  }

  /// Takes in that a directory does not exist any more, and so nothing below it.
  private mutating func drop(_ directory: BytePath) {
    tree.detach(directory)
    for path in catalogue.paths(below: directory) where catalogue.remove(path) { counts.gone += 1 }
    problems[directory] = nil
    for path in problems.keys where path.isBelow(directory) { problems[path] = nil }
  }
}
