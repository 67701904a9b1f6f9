/// The stacks of stuck threads. What is in C is tried by the same tests.
let stackBugs: [Bug] = tableBugs + frameBugs + traceBugs

private let tables = "TaskDispatch/Platform/Stacks/UnwindTable.swift"
private let unwinder = "TaskDispatch/Platform/Stacks/Unwinder.swift"
private let names = "UVDispatch/Engine/Stacks/FrameNames.swift"

private let tableBugs = [
  Bug(
    "stack.entry-of-next", breaks: "a function is unwound with the table of another",
    in: tables,
    .expression("try pair(middle, 0) <= address", becomes: "try pair(middle, 0) < address &- 1"),
    suites: ["UnwinderTests"]),
  Bug(
    "stack.wrong-function", breaks: "code without a table is unwound with the table of another",
    in: tables,
    .without("guard address &- start < length else { throw .init() }"),
    suites: ["UnwinderTests", "DamagedTablesTests"]),
  Bug(
    "stack.whole-function", breaks: "the table of the end of a function is used in its middle",
    in: tables,
    .expression("location <= address", becomes: "true"),
    suites: ["UnwinderTests"]),
  Bug(
    "stack.forgets-initial", breaks: "a register that is restored is lost",
    in: tables,
    .without("program.initial = rules"), suites: ["UnwinderTests"]),
  Bug(
    "stack.read-too-far", breaks: "tables are read past their end",
    in: "TaskDispatch/Platform/Stacks/LoadedImage.swift",
    .expression("offset <= count - size", becomes: "offset <= count"),
    suites: ["DamagedTablesTests"]),
  Bug(
    "stack.endless-number", breaks: "a damaged number is read without end",
    in: "TaskDispatch/Platform/Stacks/TableReader.swift",
    .without("if count > 63 { throw Malformed() }"), suites: ["DamagedTablesTests"]),
]

private let frameBugs = [
  Bug(
    "stack.after-call", breaks: "a call that ends a function is counted to the next one",
    in: unwinder,
    .expression("state.isAfterCall ? address &- 1 : address", becomes: "address"),
    suites: ["UnwinderTests"]),
  Bug(
    "stack.guess-certain", breaks: "what was guessed is called certain",
    in: unwinder,
    .without("state.isGuessed = true"), suites: ["StallStackTests", "UnwinderTests"]),
  Bug(
    "stack.no-indirect", breaks: "a closure's caller is not found while the thread waits",
    in: unwinder,
    .expression("operand >> 3 & 7 == 2", becomes: "operand >> 3 & 7 == 3"),
    suites: ["UnwinderTests"]),
  Bug(
    "stack.goes-in-circles", breaks: "a stack that makes no sense gives 64 times the same frame",
    in: unwinder,
    .expression("below <= above", becomes: "below < above"), suites: ["DamagedTablesTests"]),
]

private let traceBugs = [
  Bug(
    "stack.of-next-body", breaks: "the stack of a later body is told as that of the stall",
    in: "UVDispatch/Engine/Stacks/StackTracer.swift",
    .without("guard isWanted() else { return StackTrace(absence: .ended) }"),
    suites: ["StallStackTests"]),
  Bug(
    "stack.any-body", breaks: "the stack of a later body is told as that of the stall",
    in: "UVDispatch/Engine/Core/Core+Stalls.swift",
    .expression("running.contains { $0.id == id }", becomes: "!running.isEmpty"),
    suites: ["StallStackTests"]),
  Bug(
    "stack.names-repeated",
    breaks: "a function that calls itself has each of its frames several times",
    in: names,
    .expression("seen.insert(Address($0)).inserted", becomes: "known[Address($0)] == nil"),
    suites: ["StallStackTests"]),
  Bug(
    "stack.place-of-library", breaks: "the line of a report names the package's own code",
    in: "UVDispatch/StackTrace.swift",
    .expression("!(frame.module.map(Self.modulesOfLibraries.contains) ?? false)", becomes: "true"),
    suites: ["StallStackTests"]),
  Bug(
    "stack.no-module", breaks: "no frame has a module",
    in: names,
    .expression("String(name.dropFirst(digits.count).prefix(length))", becomes: "nil"),
    suites: ["StallStackTests"]),
]
