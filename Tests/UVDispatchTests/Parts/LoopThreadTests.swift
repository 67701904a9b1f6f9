import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

@Suite("Which thread runs the loop, as a value")
struct LoopThreadTests {
  /// A step of the calling thread, and what is so after it.
  private typealias Step = (
    what: String, perform: (inout LoopThread) -> Void, isClaimed: Bool, isCalling: Bool
  )

  @Test("a call claims the loop before its thread enters it, and the thread leaves both")
  func steps() {
    let steps: [Step] = [
      ("no call has run the loop", { _ in }, false, false),
      ("a call claims it, and its thread comes later", { $0.claim() }, true, false),
      ("the thread enters it", { $0.enter() }, true, true),
      ("it is to leave when it is idle", { $0.leavesWhenIdle = true }, true, true),
      ("the thread leaves it", { $0.leave() }, false, false),
      ("another call claims it", { $0.claim() }, true, false),
      ("its thread enters it", { $0.enter() }, true, true),
      ("the thread leaves it", { $0.leave() }, false, false),
    ]
    var loop = LoopThread()
    for step in steps {
      step.perform(&loop)
      #expect(loop.isClaimed == step.isClaimed, "\(step.what)")
      #expect(loop.isCalling == step.isCalling, "\(step.what)")
    }
    #expect(loop.leavesWhenIdle, "a call sets this and takes it back, not the thread that leaves")
  }

  /// Only another thread can tell whether a thread is told apart.
  @Test("a thread that calls beside the one in the loop is not taken for it")
  func otherThread() {
    let seen = Box<Bool?>(nil)
    var loop = LoopThread()
    loop.enter()
    let copy = loop

    #expect(OtherThread { seen.value = copy.isCalling }.join())

    #expect(seen.value == false)
    #expect(copy.isCalling)
  }
}
