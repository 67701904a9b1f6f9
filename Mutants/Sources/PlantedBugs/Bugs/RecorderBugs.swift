/// The flight recorder, and its recordings.
let recorderBugs: [Bug] = ringBugs + noteBugs + readerBugs + traceFileBugs

private let recorder = "UVDispatch/Engine/Recorder/Recorder.swift"
private let reader = "UVDispatch/Engine/Recorder/RingReader.swift"

private let ringBugs = [
  Bug(
    "recorder.torn", breaks: "an event that is overwritten during the copy is read",
    in: "CRings/rings.c",
    .expression("oldest > first ? oldest - first : 0", becomes: "0"), suites: ["ThreadRingsTests"]),
  Bug(
    "recorder.name-lost", breaks: "a thread that has ended has no name",
    in: "CRings/rings.c",
    .expression("memcpy(ring->name, name, sizeof name)", becomes: "(void)name"),
    suites: ["ThreadRingsTests"]),
]

private let noteBugs = [
  Bug(
    "recorder.promotion-uncounted", breaks: "a start is matched to the submission of another task",
    in: recorder,
    .without("queue.taken += 1"), suites: ["RecorderTests"]),
  Bug(
    "recorder.start-uncounted", breaks: "starts are matched to one submission",
    in: recorder,
    .without("queue.value.taken &+= 1"), suites: ["RecorderTests"]),
  Bug(
    "recorder.no-label", breaks: "items have no labels",
    in: recorder,
    .without(
      "note(label: item.label)"), suites: ["RecorderTests"]),
  Bug(
    "recorder.label-cut", breaks: "a label has its first 24 bytes only",
    in: recorder,
    .expression("!bytes.isEmpty", becomes: "false"), suites: ["RecorderTests"]),
  Bug(
    "recorder.end-unnoted", breaks: "the last task of a batch never ends",
    in: "UVDispatch/Engine/Core/Core+Run.swift",
    .expression(
      "!context.isAbandoned", becomes: "context.isAbandoned",
      within: "let recorded = context.recorded, !context.isAbandoned"),
    suites: ["RecorderTests"]),
]

private let readerBugs = [
  Bug(
    "recorder.no-follow", breaks: "a task of a batch ends with the batch",
    in: reader,
    .expression("running.popLast()", becomes: "running.last"), suites: ["RecorderTests"]),
  Bug(
    "recorder.always-complete", breaks: "a recording with a gap says that it has none",
    in: reader,
    .without("isComplete = false", within: "isComplete = false\n    horizon"),
    suites: ["RecorderTests"]),
  Bug(
    "recorder.unsorted", breaks: "events are in the order of the rings",
    in: reader,
    .expression("raws = order.map { raws[$0] }", becomes: "raws = raws.map { $0 }"),
    suites: ["RecorderTests"]),
  Bug(
    "recorder.parent-lost", breaks: "no plain task has a parent",
    in: reader,
    .expression("running.last", becomes: "nil"), suites: ["RecorderTests"]),
]

private let traceFileBugs = [
  Bug(
    "recorder.depth-of-all", breaks: "a task that waits for a time counts as waiting in its queue",
    in: "TaskDispatch/Recording/Recording.swift",
    .expression(
      "self == .enqueued || self == .due", becomes: "self == .enqueued || self == .scheduled"),
    suites: ["RecordingTests"]),
  Bug(
    "recorder.unchecked", breaks: "a file that makes no sense ends the process",
    in: "TaskDispatch/Recording/Recording+File.swift",
    .expression("tasks.indices.contains($0.task)", becomes: "true"),
    suites: ["RecordingFileTests"]),
  Bug(
    "recorder.endless-varint", breaks: "a number of any length is read",
    in: "TaskDispatch/Recording/ProtocolBuffer.swift",
    .expression("count <= UInt64(rest.count)", becomes: "true"), suites: ["RecordingFileTests"]),
]
