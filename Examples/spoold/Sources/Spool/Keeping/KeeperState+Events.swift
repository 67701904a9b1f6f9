internal import TaskDispatch

extension KeeperState {
  /// Takes in notices of the kernel.
  mutating func takeIn(_ events: [WatchEvent], at now: DispatcherInstant) {
    counts.events += events.count
    for event in events { takeIn(event, at: now) }
    guard pending.count > settings.limits.pending else { return }
    // Going through everything is cheaper than remembering so many paths.
    pending.removeAll()
    overflow()
  }

  private mutating func takeIn(_ event: WatchEvent, at now: DispatcherInstant) {
    if event.meansOverflow { return overflow() }
    if event.endsWatch {
      // The directory is gone, or was unmounted: then the directory below the mount is visible again.
      if let directory = tree.path(of: event.watch) { scan.add(directory) }
      return tree.remove(event.watch)
    }
    if places.contains(.init(watch: event.watch, name: event.name)) { scan.add(BytePath("")) }
    // The directory was found and is not listed yet, or it has left the spool.
    guard let directory = tree.path(of: event.watch) else { return }
    // The directory above is told of a directory itself too. The spool has no watched directory above
    // it.
    guard !event.name.isEmpty else {
      if directory.bytes.isEmpty { scan.add(directory) }
      return
    }
    let path = directory.appending(event.name)
    if event.isOfDirectory {
      // It has come or gone. Until a scan finds out, notices from inside it count for its old place.
      // Its contents are listed once its watch was bound to the new place.
      scan.add(path)
    } else if !own.contains(path) {
      pending.note(path, at: now, isComplete: event.meansComplete)
    }
  }

  /// Notices were lost: goes through everything.
  mutating func overflow() {
    counts.overflows += 1
    scan.addAll()
  }

  /// Goes through everything, because a client or a signal asks for it.
  mutating func rescan() {
    guard phase == .keeping else { return }
    scan.addAll()
  }

  /// Makes everything that waits due, as soon as that is allowed.
  mutating func drain(at now: DispatcherInstant) {
    guard phase == .keeping else { return }
    phase = .draining
    pending.hurry(at: now)
  }
}
