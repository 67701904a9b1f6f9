import RandomTesting
import TaskDispatch
import Testing

/// Two histories of the same tasks: one that the rules allow, and one that breaks a rule.
struct Plant: Sendable, CustomTestStringConvertible {
  let name: String
  let rule: Int
  let story: Story
  let legal: String
  /// The story for the illegal words. It differs from `story` where the fault is not in the words.
  let spoilt: Story
  let illegal: String

  /// - Parameter isOneMoment: The clock stands still, and one thread tells everything.
  init(
    _ name: String, rule: Int, _ tasks: [Story.Task], agingStep: Int64 = .max,
    isOneMoment: Bool = false, legal: String, illegal: String,
    spoil: (inout Story) -> Void = { _ in }
  ) {
    self.name = name
    self.rule = rule
    story = Story(
      tasks: tasks, agingStep: agingStep, moment: isOneMoment ? 0 : 10, isInOrder: isOneMoment)
    self.legal = legal
    self.illegal = illegal
    var spoilt = story
    spoil(&spoilt)
    self.spoilt = spoilt
  }

  var testDescription: String { name }

  var isOneMoment: Bool { story.moment == 0 }

  static let all = outcomes + bodies + orders + calls + moments

  private static let outcomes = [
    Plant(
      "a task without an outcome", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1"),
    Plant(
      "a task that starts twice", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 >1 .1"),
    Plant(
      "a task with two outcomes", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 .1 .1"),
    Plant(
      "an outcome of what was never accepted", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: ">1 .1"),
    Plant(
      "a task that was refused, and runs", rule: 2, [.init(1, "view")],
      legal: "!1", illegal: "!1 >1 .1"),
    Plant(
      "a start after the end", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 .1 >1"),
    Plant(
      "a body that starts, and counts as expired", rule: 2, [.init(1, "view", timeToLive: 10)],
      legal: "+1 >1 .1", illegal: "+1 >1 x1"),
    Plant(
      "a start when the time to live is over", rule: 2,
      [.init(1, "view"), .init(2, "view", timeToLive: 30)],
      legal: "+1 >1 +2 .1 >2 .2", illegal: "+1 >1 +2 +3 !4 .1 >2 .2 >3 .3"
    ) { $0.tasks += [.init(3, "wide"), .init(4, "wide")] },
    Plant(
      "a task from a body that does not run", rule: 2,
      [.init(1, "view"), .init(2, "wide", parent: 1)],
      legal: "+1 >1 +2 .1 >2 .2", illegal: "+1 >1 .1 +2 >2 .2"),
  ]

  private static let bodies = [
    Plant(
      "a body that starts, and counts as cancelled", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 ~1"),
    Plant(
      "a task that expires before its time to live is over", rule: 2,
      [.init(1, "view", timeToLive: 10), .init(2, "wide")],
      legal: "+1 +2 >2 x1 .2", illegal: "+1 x1 +2 >2 .2"),
    Plant(
      "a body that ran twice, of a task that started once", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 .1"
    ) { $0.extraBodies = [1: 1] },
    Plant(
      "a task that completed without its body", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 .1"
    ) { $0.extraBodies = [1: -1] },
    Plant(
      "a body that does not come to its end", rule: 2, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 .1"
    ) { $0.unended = [1] },
  ]

  private static let orders = [
    Plant(
      "two starts of one band, swapped", rule: 3, [.init(1, "view"), .init(2, "view")],
      legal: "+1 +2 >1 .1 >2 .2", illegal: "+1 +2 >2 .2 >1 .1"),
    Plant(
      "two foreground tasks that overlap", rule: 4,
      [.init(1, "foreground"), .init(2, "foreground")],
      legal: "+1 +2 >1 .1 >2 .2", illegal: "+1 +2 >1 >2 .1 .2"),
    Plant(
      "a view that runs more than its width", rule: 4,
      [.init(1, "wide"), .init(2, "wide"), .init(3, "wide")],
      legal: "+1 +2 +3 >1 >2 .1 >3 .2 .3", illegal: "+1 +2 +3 >1 >2 >3 .1 .2 .3"),
    Plant(
      "more on workers than there are", rule: 4,
      [.init(1, "wide"), .init(2, "wide"), .init(3, "view")],
      legal: "+1 +2 +3 >1 >2 .1 >3 .2 .3", illegal: "+1 +2 +3 >1 >2 >3 .1 .2 .3"),
    Plant(
      "a start while the view is suspended", rule: 4, [.init(1, "view")],
      legal: "[view +1 ]view >1 .1", illegal: "[view +1 >1 .1 ]view"),
    Plant(
      "a barrier beside what stood before it", rule: 6,
      [.init(1, "wide"), .init(2, "wide", isBarrier: true)],
      legal: "+1 +2 >1 .1 >2 .2", illegal: "+1 +2 >1 >2 .1 .2"),
    Plant(
      "a task beside a barrier", rule: 6,
      [.init(1, "wide", isBarrier: true), .init(2, "wide")],
      legal: "+1 +2 >1 .1 >2 .2", illegal: "+1 +2 >1 >2 .1 .2"),
    Plant(
      "a task of a higher band that passes a barrier", rule: 6,
      [.init(1, "wide", isBarrier: true), .init(2, "wide", band: .high)],
      legal: "+1 +2 >1 .1 >2 .2", illegal: "+1 +2 >2 .2 >1 .1"),
    Plant(
      "the lower band first", rule: 7,
      [.init(1, "view", band: .low), .init(2, "view", band: .high)],
      legal: "+1 +2 >2 .2 >1 .1", illegal: "+1 +2 >1 .1 >2 .2"),
    Plant(
      "the lower band of another view first", rule: 7,
      [.init(1, "view", band: .low), .init(2, "wide", band: .high)],
      legal: "+1 +2 >2 .2 >1 .1", illegal: "+1 +2 >1 .1 >2 .2"),
    Plant(
      "a head that is passed over again and again", rule: 7,
      [.init(1, "view", band: .low)] + (2...7).map { .init($0, "view", band: .high) },
      agingStep: 10, legal: "+1 +2 +3 +4 +5 >2 .2 >3 .3 >1 .1 >4 .4 >5 .5",
      illegal: "+1 +2 +3 +4 +5 +6 +7 >2 .2 >3 .3 >4 .4 >5 .5 >6 .6 >7 .7 >1 .1"),
  ]

  private static let calls = [
    Plant(
      "a timer that comes due early", rule: 8, [.init(1, "foreground", due: 20), .init(2, "view")],
      legal: "+1 +2 @1 >1 .1 >2 .2", illegal: "+1 @1 >1 .1 +2 >2 .2"),
    Plant(
      "a timer that comes due before an earlier one", rule: 8,
      [.init(1, "foreground", due: 20), .init(2, "foreground", due: 10)],
      legal: "+1 +2 @2 @1 >2 .2 >1 .1", illegal: "+1 +2 @1 @2 >1 .1 >2 .2"),
    Plant(
      "two timers of one time that come due in the wrong order", rule: 8,
      [.init(1, "foreground", due: 20), .init(2, "foreground", due: 20)],
      legal: "+1 +2 @1 @2 >1 .1 >2 .2", illegal: "+1 +2 @2 @1 >2 .2 >1 .1"),
    Plant(
      "a timer that starts, and never came due", rule: 8,
      [.init(1, "foreground", due: 20), .init(2, "view")],
      legal: "+1 +2 @1 >1 .1 >2 .2", illegal: "+1 +2 >2 .2 >1 .1"),
    Plant(
      "a run that starts before its tick", rule: 8,
      [.repeating(1, "wide", .all), .run(2, of: 1, "wide")],
      legal: "+1 +2 >2 .2 ~1", illegal: "+1 >2 +2 .2 ~1"),
    Plant(
      "two runs of a timer at a time", rule: 8,
      [.repeating(1, "wide", .all), .run(2, of: 1, "wide"), .run(3, of: 1, "wide")],
      legal: "+1 +2 >2 .2 +3 >3 .3 ~1", illegal: "+1 +2 >2 +3 >3 .2 .3 ~1"),
    Plant(
      "a timer that ends before its run", rule: 8,
      [.repeating(1, "wide", .skip), .run(2, of: 1, "wide")],
      legal: "+1 +2 >2 c1 r1 .2 ~1", illegal: "+1 +2 >2 c1 r1 ~1 .2"),
    Plant(
      "a cancelled task that runs", rule: 9, [.init(1, "view")],
      legal: "+1 c1 ~1 b1", illegal: "+1 c1 b1 >1 .1"),
    Plant(
      "a task that was asked to stop, and has not started", rule: 9, [.init(1, "view")],
      legal: "+1 >1 c1 ?1 r1 .1", illegal: "+1 c1 ?1 r1 >1 .1"),
    Plant(
      "a cancel that is told to be too late, and is not", rule: 9, [.init(1, "view")],
      legal: "+1 >1 .1 c1 l1", illegal: "+1 >1 c1 l1 .1"),
    Plant(
      "a task that is let in after the gate was closed", rule: 13, [.init(1, "view")],
      legal: "+1 gate >1 .1 over", illegal: "gate +1 >1 .1 over"),
    Plant(
      "a start after a shutdown that drains nothing", rule: 13, [.init(1, "view")],
      legal: "+1 >1 halt .1 over", illegal: "+1 halt >1 .1 over"),
    Plant(
      "a task that was to be skipped, and is drained", rule: 13,
      [.init(1, "view"), .init(2, "view", isSkipped: true)],
      legal: "+1 +2 >1 .1 >2 gate .2 over", illegal: "+1 +2 >1 gate .1 >2 .2 over"),
    Plant(
      "a start after the report", rule: 13, [.init(1, "view")],
      legal: "+1 gate >1 .1 over", illegal: "+1 gate over >1 .1"),
    Plant(
      "a timer that comes due after the gate was closed", rule: 13,
      [.init(1, "foreground", due: 20)],
      legal: "+1 gate ~1 over", illegal: "+1 gate @1 >1 .1 over"),
    Plant(
      "a run after the gate that nothing owed", rule: 13,
      [.repeating(1, "view", .all), .run(2, of: 1, "view"), .run(3, of: 1, "view")],
      legal: "+1 +2 >2 gate .2 +3 >3 .3 ~1 over", illegal: "+1 +2 >2 .2 gate +3 >3 .3 ~1 over"),
    Plant(
      "a run after the gate of a timer that owes none", rule: 13,
      [.repeating(1, "view", .once), .run(2, of: 1, "view"), .run(3, of: 1, "view")],
      legal: "+1 +2 >2 gate .2 +3 >3 .3 ~1 over", illegal: "+1 +2 >2 gate .2 +3 >3 .3 ~1 over"
    ) { $0.tasks[0].catchUp = .skip },
    Plant(
      "a ledger that does not count what the events say", rule: 13, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 .1"
    ) { $0.ledgerError = 1 },
    Plant(
      "a report that names what has run", rule: 13, [.init(1, "view")],
      legal: "+1 >1 .1", illegal: "+1 >1 .1"
    ) { $0.neverStarted = [1] },
    Plant(
      "a task that no call cancelled, and that the report does not name", rule: 13,
      [.init(1, "view")],
      legal: "+1 c1 ~1 b1 gate over", illegal: "+1 gate ~1 over"),
  ]

  /// Only the order tells what is wrong.
  private static let moments = [
    Plant(
      "two starts of one band, swapped in one moment", rule: 3,
      [.init(1, "view"), .init(2, "view")], isOneMoment: true,
      legal: "+1 +2 >1 .1 >2 .2", illegal: "+1 +2 >2 .2 >1 .1"),
    Plant(
      "a run that starts after a cancel in the same moment", rule: 9,
      [.repeating(1, "wide", .skip), .run(2, of: 1, "wide")], isOneMoment: true,
      legal: "+1 +2 >2 .2 c1 ~1 b1", illegal: "+1 c1 b1 +2 >2 .2 ~1"),
    Plant(
      "a task that ends only after its cancel() in the same moment", rule: 9, [.init(1, "view")],
      isOneMoment: true, legal: "+1 c1 ~1 b1", illegal: "+1 c1 b1 ~1"),
    Plant(
      "a task that was asked to stop when it had ended in the same moment", rule: 9,
      [.init(1, "view")], isOneMoment: true,
      legal: "+1 >1 ?1 c1 r1 .1", illegal: "+1 >1 ?1 .1 c1 r1"),
    Plant(
      "a task that ends inside the call that asks it to stop", rule: 9, [.init(1, "view")],
      isOneMoment: true, legal: "+1 >1 c1 ?1 r1 .1", illegal: "+1 >1 c1 ?1 .1 r1"),
    Plant(
      "a cancel that is too late, and is not, in the same moment", rule: 9, [.init(1, "view")],
      isOneMoment: true, legal: "+1 >1 .1 c1 l1", illegal: "+1 >1 c1 l1 .1"),
  ]
}
