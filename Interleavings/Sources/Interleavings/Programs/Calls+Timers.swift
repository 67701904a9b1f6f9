import Judging
import Scheduling
import TaskDispatch
import UVDispatch

/// Cancellations, and calls that take time.
extension Calls {
  // MARK: Cancellations

  func cancel(_ handle: Handle) {
    let call = history.askCancel(handle.entry)
    let answer = handle.cancel()
    history.note(answer, of: handle.entry, call)
    if answer == .tooLate { history.note(handle.outcome(), of: handle.entry) }
  }

  func cancelOther() {
    guard let handle = anyHandle else { return readLedger() }
    cancel(handle)
  }

  var anyHandle: Handle? { handles.isEmpty ? nil : handles[choose(handles.count)] }

  // MARK: Timers

  func after(_ number: Int) {
    let delay = Duration.milliseconds(setup.takesTime ? choose(4) : 0)
    let entry = history.ask(
      delay == .zero ? .task : .timer, on: number, delay: delay.nanoseconds)
    let handle = queues[number].after(delay, body(entry))
    history.note(admission(handle.outcomeIfFinished), of: entry)
    _ = keep(
      Handle(
        entry: entry, cancel: { handle.cancel() }, outcome: { handle.outcomeIfFinished },
        awaited: { await handle.outcome },
        wait: { timeout throws(WaitRefusal) in try handle.wait(timeout: timeout) }))
  }

  func every(_ number: Int) {
    // Each costs many steps.
    guard timers.count < 2 else { return post(number) }
    let interval = Duration.milliseconds(2 + choose(3))
    let catchUp = CatchUp.allCases[choose(4)]
    let timer = history.askTimer(on: number, every: interval.nanoseconds, catchUp)
    let handle = queues[number].every(interval, catchUp: catchUp) { [self] in run(of: timer) }
    timers.append((handle, timer))
  }

  private func run(of timer: History.Timer) {
    let entry = history.beginRun(of: timer, missed: CurrentTask.missedTicks)
    checkThread(of: entry, submittedBy: "")
    scene.simulation.yield()
    switch choose(6) {
    case 3: scene.sleep(.milliseconds(1))
    case 4: scene.sleep(.milliseconds(5))
    case 5: cancelCurrent(timer)
    default: break
    }
    readFlag(in: entry)
    history.end(entry)
    failIfWrong()
  }

  private func cancelCurrent(_ timer: History.Timer) {
    let call = history.askCancel(timer)
    scene.check(CurrentTask.cancel(), "a run of a repeating timer cannot cancel it")
    history.note(.requested, of: timer, call)
  }

  func cancel(_ handle: TimerHandle, _ timer: History.Timer) {
    let call = history.askCancel(timer)
    let answer = handle.cancel()
    history.note(answer, of: timer, call)
    if answer == .tooLate { history.note(handle.outcomeIfFinished, of: timer) }
  }

  func cancelTimer() {
    guard !timers.isEmpty else { return readLedger() }
    let (handle, timer) = timers[choose(timers.count)]
    cancel(handle, timer)
  }
}
