/// Groups: how much is certain to be in them, and when nothing was.
extension History {
  package final class Group: @unchecked Sendable {
    /// How much is certain to be in the group.
    var inside = 0
    private var lastEmpty = 0
    var members: [Entry] = []

    /// Whether the group may have been empty at some time from `moment` on.
    func wasEmpty(since moment: Moment) -> Bool { inside == 0 || lastEmpty > moment.stamp }

    func leave(at now: Moment) {
      inside -= 1
      if inside == 0 { lastEmpty = now.stamp }
    }

    /// Before the first piece of work comes, the group is empty.
    func enter(at now: Moment) {
      if inside == 0 { lastEmpty = now.stamp }
      inside += 1
    }
  }

  package func makeGroup() -> Group { Group() }

  /// A call has returned that enters the group by hand.
  package func enter(_ group: Group) { group.enter(at: next()) }

  /// A call begins that leaves the group by hand.
  package func leave(_ group: Group) { group.leave(at: next()) }

  /// The entry may have left its group from now on.
  func leaveGroup(_ entry: Entry) {
    guard entry.isInGroup, let group = entry.group else { return }
    entry.isInGroup = false
    group.leave(at: next())
  }

  /// A callback is made that has waited for the group since `moment`.
  package func noteCallback(of group: Group, since moment: Moment) {
    if !group.wasEmpty(since: moment), !hasShutdown {
      fail("a callback is made, and its group was not empty")
    }
  }

  /// What happens now is after everything before.
  package func mark() -> Moment { next() }
}
