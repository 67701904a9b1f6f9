import TaskDispatch
import TestSupport
import Testing

@testable import UVDispatch

@Suite("The credits of a queue with a limit")
struct FlowControlTests {
  private let work = LooseWork()

  @Test(
    "only tasks count: no code could react to a refusal of the others",
    arguments: [
      (.task, true), (.timer, false), (.repeating, false), (.reply, false), (.job, false),
      (.sleep, false), (.notification, false), (.event, false),
    ] as [(WorkItem.Kind, Bool)])
  func kinds(kind: WorkItem.Kind, counts: Bool) {
    let item = kind == .repeating ? work.repeating() : work.item(kind)

    #expect(item.countsAgainstLimits == counts)
    #expect(work.task(work: .item(item)).countsAgainstLimits == counts)
  }

  @Test("a task object counts as what it stands for: callers of sync and replies do not")
  func objects() {
    #expect(work.task(work: .plain {}).countsAgainstLimits)
    #expect(!work.task(work: .caller(nil)).countsAgainstLimits)
    #expect(!work.task(work: .caller(SyncCaller {})).countsAgainstLimits)
    let reply = work.task(work: .plain {})
    reply.isExempt = true
    #expect(!reply.countsAgainstLimits)
  }

  @Test("are issued all at once, and again only for what has left", arguments: 1...3)
  func issuing(limit: Int) throws {
    let flow = try #require(FlowControl(.reject(limit: limit)))

    #expect(flow.issueCredits() == limit)
    #expect(flow.issueCredits() == 0)
    flow.noteDeparture()
    #expect(flow.issueCredits(atMost: 1) == 1)
    #expect(flow.issueCredits() == 0)
    flow.takeBack(1)
    #expect(flow.issueCredits() == 1)
  }

  @Test("an inbox takes one for each post that counts, and is full after the last")
  func inbox() {
    let shared = SharedInbox(.reject(limit: 2))

    let first = [shared.post(), shared.post(), shared.post()]
    let byHand = shared.inbox.takeCredit()
    let exempt = shared.inbox.beginExemptPost()
    _ = shared.inbox.post(.plainOne {})
    shared.inbox.flow?.noteDeparture()
    let afterwards = (shared.inbox.takeCredit(), shared.post())

    #expect(first == [.open, .open, .full])
    #expect(!byHand && exempt)
    #expect(afterwards == (true, .full))
  }

  @Test("a closed inbox has none, and gives them one at a time to what comes in under the lock")
  func closed() {
    let shared = SharedInbox(.reject(limit: 2))
    _ = shared.post()
    shared.inbox.close()

    let answer = shared.post()
    let exempt = shared.inbox.beginExemptPost()
    let byHand = [shared.inbox.takeCredit(), shared.inbox.takeCredit()]
    shared.inbox.flow?.noteDeparture()
    let afterwards = [shared.inbox.takeCredit(), shared.inbox.takeCredit()]

    #expect(answer == .closed && !exempt)
    #expect(byHand == [true, false])
    #expect(afterwards == [true, false])
  }

  @Test("an inbox without a limit is never full")
  func unlimited() {
    let shared = SharedInbox()
    let answers = (0..<100).map { _ in shared.post() }
    let byHand = shared.inbox.takeCredit()
    shared.inbox.close()
    let closed = shared.inbox.takeCredit()

    #expect(answers.allSatisfy { $0 == .open })
    #expect(byHand && closed)
  }

  @Test("a view that may not be marked ready keeps its credit")
  func refusedView() {
    let shared = SharedViewInbox(.reject(limit: 1))
    func begin(_ answer: ViewInbox.Begun) -> ViewInbox.Begun {
      let begun = shared.inbox.beginPost {
        answer
      } notifyForMore: {
        .isNotified
      }
      if begun == .isNotified || begun == .mustNotify { shared.inbox.post(.plainOne {}) }
      return begun
    }

    let refused = [begin(.isRefused), begin(.isRefused)]
    let answers = [begin(.mustNotify), begin(.mustNotify)]
    let byHand = shared.inbox.takeCredit()
    shared.inbox.flow?.noteDeparture()
    let afterwards = [shared.inbox.takeCredit(), shared.inbox.takeCredit()]

    #expect(refused == [.isRefused, .isRefused])
    #expect(answers == [.mustNotify, .isFull])
    #expect(!byHand)
    #expect(afterwards == [true, false])
  }
}

/// An inbox on the heap: a local one crashes Swift 6.3.1.
private final class SharedInbox {
  let inbox: Inbox

  init(_ overflow: Overflow = .unbounded) { inbox = Inbox(isOpen: true, overflow: overflow) }

  func post() -> Inbox.Opening {
    let opening = inbox.beginPost()
    if opening == .open { _ = inbox.post(.plainOne {}) }
    return opening
  }
}

private final class SharedViewInbox {
  let inbox: ViewInbox

  init(_ overflow: Overflow) { inbox = ViewInbox(isForTwo: false, overflow: overflow) }
}
