internal import TaskDispatch

/// Notifications whose group is not empty. Each item knows its place in the list. So any of them leaves in O(1): a
/// shutdown cancels them all.
///
/// Touched under the dispatcher's lock.
struct HeldItems {
  /// In no particular order.
  private(set) var all: [WorkItem] = []

  #if DEBUG
    /// How many items have been looked at.
    private(set) var looks = 0
  #endif

  var isEmpty: Bool { all.isEmpty }

  /// Adds an item. Its `place.position` belongs to this list until it leaves. Amortised O(1).
  mutating func insert(_ item: WorkItem) {
    item.place.position = all.count
    all.append(item)
  }

  /// Takes an item out. False if it is not here; then nothing has changed. O(1).
  mutating func remove(_ item: WorkItem) -> Bool {
    let index = item.place.position
    guard all.indices.contains(index), isHere(item, at: index) else { return false }
    let last = all.removeLast()
    if index < all.count {
      all[index] = last
      last.place.position = index
    }
    return true
  }

  private mutating func isHere(_ item: WorkItem, at index: Int) -> Bool {
    #if DEBUG
      looks += 1
    #endif
    return all[index] === item
  }
}
