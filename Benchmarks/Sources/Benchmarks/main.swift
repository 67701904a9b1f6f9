import Glibc

// Usage: Benchmarks [REPETITIONS [TASKS]]
let arguments = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
let repetitions = arguments.first ?? 7
let tasks = arguments.dropFirst().first ?? 200_000
guard repetitions > 0, tasks >= 1_000 else {
  print("usage: Benchmarks [REPETITIONS [TASKS]], with at least 1 and 1000")
  exit(2)
}
let window = 1024

struct Case {
  let name: String
  let producers: Int
  /// Ours first.
  let subjects: [Subject]
}

let cases = [1, 4].flatMap { producers in
  [
    Case(
      name: "foreground", producers: producers,
      subjects: [.uvForeground, .nioLoop, .dispatchSerial]),
    Case(
      name: "background width 1", producers: producers,
      subjects: [.uvBackground(width: 1), .nioThreadPool(width: 1), .dispatchSerial]),
    Case(
      name: "background width 3", producers: producers,
      subjects: [.uvBackground(width: 3), .nioThreadPool(width: 3), .dispatchConcurrent]),
  ]
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }
func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

print(
  "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors, window \(window), \(tasks) empty tasks,",
  "medians of \(repetitions) (least to most), nanoseconds a task;",
  "xN: the peer takes N times as long as UVDispatch")
for one in cases {
  var samples = [[Double]](repeating: [], count: one.subjects.count)
  // Interleaved, so that what else the machine does disturbs all of them alike.
  for _ in 0..<repetitions {
    for (index, subject) in one.subjects.enumerated() {
      samples[index].append(
        nanosecondsPerTask(subject, producers: one.producers, window: window, tasks: tasks))
    }
  }
  print("\(one.name), \(one.producers) producer\(one.producers == 1 ? "" : "s")")
  for (index, subject) in one.subjects.enumerated() {
    let times = samples[index]
    let ratio = index == 0 ? "" : ", x\(tenths(median(times) / median(samples[0])))"
    print(
      "  \(subject.name): \(whole(median(times))) ns",
      "(\(whole(times.min()!)) to \(whole(times.max()!)))\(ratio)")
  }
}
