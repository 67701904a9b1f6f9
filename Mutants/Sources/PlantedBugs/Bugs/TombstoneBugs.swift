/// How a cancelled item leaves a tombstone, which no thread touches.
let tombstoneBugs: [Bug] = [
  Bug(
    "tombstone.alive", breaks: "what was cancelled is taken, and runs or is freed twice",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "unsafe tombstones![index &>> 6] & (1 &<< UInt64(index & 63)) != 0", becomes: "false"),
    suites: ["RingTests", "RingLifetimeTests"]),
  Bug(
    "tombstone.again", breaks: "a slot is vacated twice, and its object let go of too often",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "!isTombstone(at: position)", becomes: "true",
      within: "!isTombstone(at: position) else { return false }\n    if unsafe tombstones == nil"),
    suites: ["RingLifetimeTests"]),
  Bug(
    "tombstone.removed", breaks: "what was let go of is handed out",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "!isTombstone(at: position)", becomes: "true",
      within: "!isTombstone(at: position) else { return nil }"),
    suites: ["RingLifetimeTests"]),
  Bug(
    "tombstone.outside", breaks: "a slot that is not held is marked, and what comes there is lost",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "position < tail", becomes: "true",
      within:
        "position < tail, !isTombstone(at: position) else { return false }\n    if unsafe tombstones == nil"
    ),
    suites: ["RingLifetimeTests"]),
  Bug(
    "tombstone.for-good", breaks: "what comes into a slot that was vacated once is lost",
    in: "TaskDispatch/Platform/Ring.swift",
    .without("unsafe tombstones![index &>> 6] &= ~(1 &<< UInt64(index & 63))"),
    suites: ["RingTests", "RingLifetimeTests"]),
  Bug(
    "tombstone.uncounted", breaks: "what was vacated counts as alive",
    in: "TaskDispatch/Platform/Ring.swift",
    .without("tombstoneCount &+= 1"), suites: ["RingTests", "RingLifetimeTests"]),
  Bug(
    "tombstone.when-grown", breaks: "what was cancelled is taken once the queue has grown",
    in: "TaskDispatch/Platform/Ring.swift",
    .without("emptyTombstone()", within: "emptyTombstone()\n    unsafe free(tombstones)"),
    suites: ["RingLifetimeTests"]),
  Bug(
    "tombstone.when-compacted", breaks: "what was cancelled is moved as if it waited",
    in: "TaskDispatch/Platform/Ring.swift",
    .without("emptyTombstone()", within: "emptyTombstone()\n    var target = tail"),
    suites: ["RingCompactionTests"]),
  Bug(
    "tombstone.copied", breaks: "a copy of a queue holds what was let go of",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "isTombstone(at: position)", becomes: "false", within: "isTombstone(at: position) ? nil"),
    suites: ["RingLifetimeTests"]),
  Bug(
    "tombstone.let-go-of-with-the-ring", breaks: "an object is let go of too often",
    in: "TaskDispatch/Platform/Ring.swift",
    .expression(
      "!isTombstone(at: position)", becomes: "true", within: "if !isTombstone(at: position) {"),
    suites: ["RingLifetimeTests"]),
  Bug(
    "tombstone.leaks", breaks: "what was cancelled is never freed",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .without("if isKnown, isOut { letGoOfShare(in: item) }"), suites: ["WaitingItemTests"]),
  Bug(
    "tombstone.tokens-stay", breaks: "rule 4: a queue keeps a token for what was cancelled",
    in: "TaskDispatch/Policy/PoolOrder.swift",
    .without("if isTombstone { reconcile(view, now: now) }"),
    suites: ["PoolOrderTests"]),
  Bug(
    "tombstone.nameless",
    breaks: "rule 9: of two dispatchers without a name, one takes from the other",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression("doors.name != .none", becomes: "true"), suites: ["WaitingItemTests"]),
  Bug(
    "tombstone.barrier", breaks: "rule 5: a barrier that is cancelled divides its queue for ever",
    in: "UVDispatch/Engine/Core/Core+Items.swift",
    .expression("!item.isBarrier", becomes: "true", within: "!item.isBarrier && doors.name"),
    suites: ["UVContractTests"]),
  Bug(
    "tombstone.unnamed", breaks: "a name that was given before is given again",
    in: "TaskDispatch/Work/WorkItem+Making.swift",
    .expression("count < 0x8000 ? UInt16(count) : 0", becomes: "UInt16(truncatingIfNeeded: count)"),
    suites: ["WaitingItemTests"]),
]
