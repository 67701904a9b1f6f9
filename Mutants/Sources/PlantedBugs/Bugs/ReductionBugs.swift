private let folder = "TaskDispatchTesting/Exploration/"

/// Which orders an exploration leaves out, since they differ in nothing that matters.
let reductionBugs: [Bug] = [
  Bug(
    "explore.nobody-wakes", breaks: "what sleeps does so whatever runs",
    in: folder + "Reduction.swift",
    .expression("$0.value.isIndependent(of: footprint)", becomes: "true"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.nobody-sleeps", breaks: "nothing that is declared saves a schedule",
    in: folder + "Reduction.swift",
    .expression("asleep[$0.id] == nil", becomes: "true"),
    .expression("$0.value.isIndependent(of: footprint)", becomes: "false"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.only-enabled-wanted", breaks: "what could not be made earlier is never looked for",
    in: folder + "ReducedSearch.swift",
    .without("nodes[choice].wanted.formUnion(branch.moves)"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.everything-wanted", breaks: "every move is tried everywhere",
    in: folder + "ReducedSearch.swift",
    .expression("branch.moves.contains(later.move)", becomes: "false"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.resources-unread", breaks: "what is declared makes no difference between tasks",
    in: folder + "Reduction.swift",
    .expression("resources.isDisjoint(with: other.resources)", becomes: "true"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.places-unread", breaks: "two tasks that submit to one queue are thought independent",
    in: folder + "Reduction.swift",
    .expression("places.isDisjoint(with: other.places)", becomes: "true"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.bands-unseen", breaks: "a higher task that comes is thought to change nothing",
    in: folder + "Reduction.swift",
    .expression(
      "entry.band != .medium", becomes: "false", within: "if entry.band != .medium ||"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.overtaking-unseen",
    breaks: "a task that others may overtake is thought to start alike",
    in: folder + "Reduction.swift",
    .expression(
      "entry.band != .medium", becomes: "false",
      within: ".background, entry.band != .medium"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.values-unseen", breaks: "a task is thought to be tried when one value of it was",
    in: folder + "Decisions.swift",
    .without(
      "reduction?.touchesEverything()",
      within:
        "reduction?.touchesEverything()\n    let name = names != nil ? names!.call(label, by: caller) : nil"
    ),
    suites: ["ReductionTests"]),
  Bug(
    "explore.cancels-unseen", breaks: "a cancellation is thought to touch no task",
    in: folder + "Decisions.swift",
    .without(
      "reduction?.touchesEverything()",
      within: "func answered(_ answer: Cancellation) {\n    reduction?.touchesEverything()"),
    .statement(
      "if case .submission = call {} else { reduction?.touchesEverything() }", becomes: ""),
    suites: ["ReductionTests"]),
  Bug(
    "explore.groups-unseen", breaks: "that a group becomes empty is thought to touch no task",
    in: "TaskDispatchTesting/Engine/State+Exploring.swift",
    .expression("!held.isEmpty", becomes: "false"),
    suites: ["ReductionTests"]),
  Bug(
    "explore.lies-believed", breaks: "an order that a declaration hides is not noticed",
    in: folder + "Explorer.swift",
    .expression("isKnown", becomes: "true", within: "guard isKnown else"),
    suites: ["ReductionTests"]),
]
