import ArgumentParser
import Glibc

@main struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Times UVDispatch beside what else a Swift program could use, in one process.",
    discussion: """
      Prints nanoseconds an empty task, from the first submission to the end of the last body: the \
      median of the repetitions, the least and the most. xN: the peer takes N times as long as \
      UVDispatch. What is compared is interleaved, so that what else the machine does disturbs all \
      alike.
      """)

  @Option(help: "How often each is timed.") var repetitions = 7
  @Option(help: "How many tasks a repetition submits.") var tasks = 200_000
  @Option(help: "How many tasks are in flight at most, all producers together.") var window = 1024
  @Option(help: "Only the cases whose name contains this.") var only: String?

  func validate() throws {
    guard repetitions >= 1 else { throw ValidationError("--repetitions must be at least 1") }
    guard tasks >= 1_000 else { throw ValidationError("--tasks must be at least 1000") }
    guard window >= 4 else { throw ValidationError("--window must be at least 4") }
  }

  func run() {
    print(
      "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors, window \(window), \(tasks) tasks,",
      "\(repetitions) repetitions")
    for one in Case.all where only.map({ one.title.contains($0) }) ?? true {
      print(one.title)
      for line in one.measure(self) { print("  \(line)") }
    }
  }
}
