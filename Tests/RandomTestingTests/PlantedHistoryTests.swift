import RandomTesting
import TaskDispatch
import Testing

/// A checker that never finds anything would find every history legal.
@Suite("A planted history")
struct PlantedHistoryTests {
  @Test("is refused by its rule, and accepted without its fault:", arguments: Plant.all)
  func told(_ plant: Plant) {
    let legal = plant.story.history(plant.legal)
    let illegal = plant.spoilt.history(plant.illegal)

    #expect(HistoryChecker.violations(in: legal) == [])
    let violations = HistoryChecker.violations(in: illegal)
    #expect(violations.contains { $0.rule == plant.rule }, "\(violations)")
    #expect(violations.allSatisfy { "\($0)".hasPrefix("rule \($0.rule): ") })
  }

  @Test(
    "is refused and accepted as well if the end of each task is told before its beginning:",
    arguments: Plant.all.filter { !$0.isOneMoment })
  func toldLate(_ plant: Plant) {
    let legal = plant.story.history(plant.legal).toldLate()
    let illegal = plant.spoilt.history(plant.illegal).toldLate()

    #expect(HistoryChecker.violations(in: legal) == [])
    #expect(HistoryChecker.violations(in: illegal).contains { $0.rule == plant.rule })
  }

  @Test(
    "is refused and accepted as well if one thread has told it in order:",
    arguments: Plant.all.filter { !$0.isOneMoment })
  func toldInOrder(_ plant: Plant) {
    var (story, spoilt) = (plant.story, plant.spoilt)
    story.isInOrder = true
    spoilt.isInOrder = true

    #expect(HistoryChecker.violations(in: story.history(plant.legal)) == [])
    let violations = HistoryChecker.violations(in: spoilt.history(plant.illegal))
    #expect(violations.contains { $0.rule == plant.rule }, "\(violations)")
  }

  @Test("is refused if its clock goes back, and one thread has told it in order")
  func clock() {
    var story = Story(tasks: [.init(1, "view")])
    story.isInOrder = true
    let history = story.history("+1 >1 .1")
    var entries = history.entries
    entries[1] = History.Entry(line: entries[1].line, time: 30)

    let violations = HistoryChecker.violations(in: history.with(entries))

    #expect(violations.map(\.rule) == [8])
    #expect("\(violations)".contains("the clock went back from 30 to 20"))
  }

  @Test("is refused if its events tell a task with another label, queue or band than it has")
  func records() {
    let history = Story(tasks: [.init(1, "view")]).history("+1 >1 .1")
    var others = [Story.Task(1, "wide"), Story.Task(1, "view", band: .high)].map {
      Story(tasks: [$0]).history("+1 >1 .1").declared
    }
    var labelled = history.declared
    labelled[1]?.label = "one"
    others.append(labelled)

    for other in others {
      var spoilt = history
      spoilt.declared = other
      #expect(HistoryChecker.violations(in: spoilt).map(\.rule) == [2])
    }
    #expect(HistoryChecker.violations(in: history) == [])
  }

  @Test("says which tasks and which events it is about")
  func message() throws {
    let story = Story(tasks: [.init(1, "view"), .init(2, "view")])

    let violations = HistoryChecker.violations(in: story.history("+1 +2 >2 .2 >1 .1"))

    let violation = try #require(violations.first)
    #expect(violations.count == 1)
    #expect("\(violation)".contains("#1 (line 1, handled) on view was overtaken by #2"))
    #expect(violation.events.map(\.task.id) == [1, 1, 1, 2, 2, 2].map { TaskID($0) })
  }
}

extension History {
  /// The history of threads that tell last which tasks they have enqueued.
  fileprivate func toldLate() -> History {
    let late = entries.filter { $0.event?.kind == .enqueued }
    return with(entries.filter { $0.event?.kind != .enqueued } + late)
  }
}
