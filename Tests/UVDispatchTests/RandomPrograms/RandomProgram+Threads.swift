import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import UVDispatch

extension RandomProgram {
  /// Runs the program of `seed` on the real dispatcher, to its end. Nil if it does not end.
  static func onThreads(seed: Int) throws -> Trial? { try run(Plan(seed: seed), nil)?.trial }

  /// Runs the program of `seed` on the real dispatcher, with an observer that records its history. Nil if it
  /// does not end.
  static func observedOnThreads(seed: Int) throws -> (trial: Trial, history: History)? {
    let ended = try run(Plan(seed: seed, isObserved: true), HistoryBook())
    return ended.map { ($0.trial, $0.program.history($0.trial, $0.report)) }
  }

  private typealias Ended = (program: RandomProgram, trial: Trial, report: ShutdownReport)

  private static func run(_ plan: Plan, _ book: HistoryBook?) throws -> Ended? {
    let dispatcher = try UVDispatcher(
      .init(
        label: "program", backgroundWidth: plan.workers, overflow: plan.overflow,
        loopBudget: .init(tasks: 1 + plan.seed % 20), agingStep: plan.agingStep, observer: book))
    let program = RandomProgram(plan, on: dispatcher, writing: book)
    guard let (trial, report) = program.run(on: dispatcher) else { return nil }
    return (program, trial, report)
  }

  private func run(on dispatcher: UVDispatcher) -> (Trial, ShutdownReport)? {
    let actors = (0..<plan.threads).map { thread in OtherThread { self.act(asThread: thread) } }
    if plan.loopIsLate {
      for actor in actors { guard actor.join() else { return nil } }
    }
    let end = Box<(over: Int, report: ShutdownReport)?>(nil)
    let loop = OtherThread {
      let report = dispatcher.run()
      self.mark(.over)
      end.value = (self.ticket(), report)
    }
    for actor in actors { guard actor.join() else { return nil } }
    shutDown(.init(drain: .seconds(3600)))
    guard loop.join(), let end = end.value else { return nil }
    guard (try? tasks.wait(timeout: patience)) != nil else { return nil }
    return (trial(over: end.over, end.report), end.report)
  }
}
