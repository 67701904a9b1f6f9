import TaskDispatch
import Testing

@testable import UVDispatch

@Suite("Jobs that came when their queue was over, as a value")
struct LateJobsTests {
  private let work = LooseWork()

  private func jobs(_ numbers: ClosedRange<UInt64>) -> LateJobs {
    var late = LateJobs()
    for number in numbers { late.add(work.task(number)) }
    return late
  }

  /// Jobs 1 to 3 wait. A thread takes the first of those that may run.
  @Test(
    "a thread takes the first job that may run, and the others keep their order",
    arguments: [
      (mayRun: [1, 2, 3], taken: 1, left: [2, 3]),
      (mayRun: [2, 3], taken: 2, left: [1, 3]),
      (mayRun: [3], taken: 3, left: [1, 2]),
      (mayRun: [3, 1], taken: 1, left: [2, 3]),
      (mayRun: [], taken: nil, left: [1, 2, 3]),
    ] as [(mayRun: [UInt64], taken: UInt64?, left: [UInt64])])
  func first(mayRun: [UInt64], taken: UInt64?, left: [UInt64]) {
    var late = jobs(1...3)
    #expect(late.contains { mayRun.contains($0.id) } == (taken != nil))

    let job = late.takeFirst { mayRun.contains($0.id) }

    #expect(job?.id == taken)
    #expect(late.waiting.map(\.id) == left)
    #expect(!late.isEmpty)
  }

  @Test("all jobs are taken out at once, in the order in which they came")
  func all() {
    var late = jobs(1...3)

    let (taken, again) = (late.takeAll(), late.takeAll())

    #expect(taken.map(\.id) == [1, 2, 3])
    #expect(again.isEmpty && late.isEmpty)
  }

  @Test("no job may run where none waits")
  func none() {
    var late = LateJobs()

    let taken = late.takeFirst { _ in true }

    #expect(taken == nil && late.isEmpty && !late.contains { _ in true })
  }

  @Test("a thread is free from before its start, but while it runs a job, until it ends")
  func threads() {
    let steps: [(String, (inout LateJobs) -> Void, free: Int)] = [
      ("a first thread is about to be started", { $0.addThread() }, 1),
      ("it begins a job", { $0.beginJob() }, 0),
      ("a second thread is about to be started", { $0.addThread() }, 1),
      ("the first ends its job", { $0.endJob() }, 2),
      ("the second finds another free", { $0.removeThread() }, 1),
      ("the first begins a job", { $0.beginJob() }, 0),
      ("the first ends its job", { $0.endJob() }, 1),
      ("no job is left", { $0.removeThread() }, 0),
    ]
    var late = LateJobs()
    for (what, step, free) in steps {
      step(&late)
      #expect(late.freeThreads == free, "\(what)")
    }
    #if DEBUG
      #expect(late.startedThreads == 2)
    #endif
  }
}
