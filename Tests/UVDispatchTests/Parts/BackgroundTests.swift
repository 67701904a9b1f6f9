import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("The views of the background, as a value")
struct BackgroundTests {
  private let work = LooseWork()

  private func background() -> Background {
    let pool = PoolOrder<UVDispatch.Entry>(width: 1, agingStep: 1) { _, _ in }
    return Background(pool, isOpen: true)
  }

  /// Other code keeps one of `keptOf` views. Where more than 16 are made, released ones are forgotten on the way.
  @Test(
    "a view is known while other code refers to it, in the order in which it was made",
    arguments: [(made: 0, keptOf: 1), (3, 1), (4, 2), (5, 9), (100, 7)])
  func known(made: Int, keptOf: Int) {
    var background = background()
    var kept: [UVView] = []
    for number in 0..<made {
      let view = work.view("\(number)")
      background.add(view)
      if number % keptOf == 0 { kept.append(view) }
    }

    let known = background.views.map(ObjectIdentifier.init)
    #expect(known == kept.map { ObjectIdentifier($0.pool) })
  }

  /// The view of an upper case letter becomes full, that of a lower case letter is full no more.
  @Test(
    "a full view is known until the thread that ends its task has drained it, and knows it too",
    arguments: [("A", "A"), ("Aa", ""), ("AB", "AB"), ("ABa", "B"), ("ABab", ""), ("AaA", "A")])
  func full(steps: String, full: String) {
    var background = background()
    let views = ["A": work.view("A"), "B": work.view("B")]
    for step in steps {
      background.note(views[step.uppercased()]!, isDrainedOnCompletion: step.isUppercase)
    }

    let found = background.full.map(\.label).joined()
    #expect(found == full)
    for (label, view) in views {
      #expect(view.isDrainedOnCompletion == full.contains(label))
    }
  }
}
