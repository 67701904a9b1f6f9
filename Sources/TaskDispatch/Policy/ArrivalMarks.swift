/// Since when the elements of a queue have been waiting, as far as that is known of elements that came together.
///
/// The elements themselves carry no time. They come in lots: what an inbox held. A mark says at which position a lot
/// begins, and when its first element came. So the age of the element at the head is known to within its lot.
///
/// A value without lock, clock or thread.
package struct ArrivalMarks {
  private struct Mark {
    let position: Int
    let since: Int64
  }

  private var marks: [Mark] = []
  /// How often elements had been moved when the marks were right.
  private var compactions = 0
  /// Lots that came within this time count as one, in nanoseconds.
  private static let resolution: Int64 = 4_000_000
  /// From this many marks on, every second one is left out.
  private static let most = 128

  package init() {}

  /// Notes that a lot has come. O(1), amortised.
  ///
  /// - Parameters:
  ///   - position: That of its first element. It is greater than those of earlier lots.
  ///   - since: When that element came, in nanoseconds.
  ///   - head: The position of the element that is next, now that the lot is there.
  ///   - compactions: How often compaction has moved elements.
  package mutating func note(_ position: Int, since: Int64, head: Int, _ compactions: Int = 0) {
    if position == head {
      // All earlier lots are gone.
      marks.removeAll(keepingCapacity: true)
    } else if compactions != self.compactions {
      // Elements have moved to higher positions, and would seem to belong to later lots. Before that, the head belonged
      // to the first lot or to a later one.
      marks = marks.first.map { [Mark(position: .min, since: $0.since)] } ?? []
    }
    self.compactions = compactions
    // The first mark is that of the head.
    while marks.count > 1, marks[1].position <= head { marks.removeFirst() }
    if let last = marks.last, since - last.since < Self.resolution {
      return
    }
    if marks.count >= Self.most { thin() }
    marks.append(Mark(position: position, since: since))
  }

  /// Drops every second mark.
  private mutating func thin() {
    // An element whose mark is left out counts as older than it is, not as newer.
    marks = marks.indices.filter { $0 % 2 == 0 }.map { marks[$0] }
  }

  /// When the lot came that holds the element at `head`, or one before it; nil if that is not known.
  package func since(_ head: Int, _ compactions: Int = 0) -> Int64? {
    if compactions != self.compactions { return marks.first?.since }
    return marks.last { $0.position <= head }?.since
  }

  #if DEBUG
    package var count: Int { marks.count }
  #endif
}
