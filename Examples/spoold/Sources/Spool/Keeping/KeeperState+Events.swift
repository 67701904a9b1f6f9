internal import TaskDispatch

extension KeeperState {
  /// Takes in notices of the kernel.
  mutating func takeIn(_ events: [WatchEvent], at now: DispatcherInstant) {
    counts.events += events.count
    for event in events { takeIn(event, at: now) }
    guard pending.count > settings.limits.pending else { return }
    // To go through everything is cheaper than to remember what has not changed.
    pending.removeAll()
    overflow()
  }

  private mutating func takeIn(_ event: WatchEvent, at now: DispatcherInstant) {
    if event.meansOverflow { return overflow() }
    if event.endsWatch {
      // The directory is gone, or what was mounted there: then another has come to light.
      if let directory = tree.path(of: event.watch) { scan.add(directory) }
      return tree.remove(event.watch)
    }
    if places.contains(.init(watch: event.watch, name: event.name)) { scan.add(BytePath("")) }
    // Of a directory that was found and is not listed yet, or has left the spool.
    guard let directory = tree.path(of: event.watch) else { return }
    // About a directory itself, those above are told too; about the spool, nobody else is.
    guard !event.name.isEmpty else {
      if directory.bytes.isEmpty { scan.add(directory) }
      return
    }
    let path = directory.appending(event.name)
    if event.isOfDirectory {
      // Whether it has come or gone. Until that is known, what happens in it is looked for where it
      // stood, and what is where it went is listed once its watch has been bound to that place.
      scan.add(path)
    } else if !own.contains(path) {
      pending.note(path, at: now, isComplete: event.meansComplete)
    }
  }

  /// Notices are lost: everything is looked at.
  mutating func overflow() {
    counts.overflows += 1
    scan.addAll()
  }

  /// Has everything looked at, because somebody asks for it.
  mutating func rescan() {
    guard phase == .keeping else { return }
    scan.addAll()
  }

  /// Ends what waits, as soon as it may be.
  mutating func drain(at now: DispatcherInstant) {
    guard phase == .keeping else { return }
    phase = .draining
    pending.hurry(at: now)
  }
}
