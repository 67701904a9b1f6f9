import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Two flags of an inbox are read without its lock, so these tests check when each is written.
@Suite("An inbox")
struct InboxTests {
  private let inbox = SharedInbox()

  /// - Returns: Whether the submitting thread has to notify a consumer.
  @discardableResult
  private func post() -> Bool {
    #expect(inbox.beginPost())
    return inbox.post(.plainOne {})
  }

  @Test("shows that it holds something, and has the first post notify a consumer")
  func firstPost() {
    #expect(!inbox.mayHoldEntries)
    #expect(!inbox.isNotified)

    #expect(post())

    #expect(inbox.mayHoldEntries)
    #expect(inbox.isNotified)
    #expect(!post())
  }

  @Test("has the first two posts notify a consumer, if it is for two, until those go idle")
  func forTwo() {
    let inbox = SharedInbox(isForTwo: true)
    func post() -> Bool {
      #expect(inbox.beginPost())
      return inbox.post(.plainOne {})
    }

    #expect(post())
    #expect(inbox.isNotified)
    inbox.drain { $0.clear() }
    #expect(post())
    #expect(!post())

    inbox.drain { $0.clear() }
    #expect(inbox.tryGoIdle())
    #expect(!inbox.isNotified)
    #expect(post())
    #expect(post())
    #expect(!post())
  }

  @Test("shows that it is empty once it was drained, and is notified still")
  func collected() {
    post()

    inbox.drain { $0.clear() }

    #expect(!inbox.mayHoldEntries)
    #expect(inbox.isNotified)
    #expect(!post())
    #expect(inbox.mayHoldEntries)
  }

  @Test("lets no consumer go idle while it holds something")
  func idleWhileFull() {
    post()

    #expect(!inbox.tryGoIdle())

    #expect(inbox.isNotified)
  }

  @Test("has a post after its consumer went idle notify it")
  func postAfterRest() {
    post()
    inbox.drain { $0.clear() }

    #expect(inbox.tryGoIdle())

    #expect(!inbox.isNotified)
    #expect(post())
  }

  @Test("says whether a thread is about to notify, and tells the last of them that it is closed")
  func notifying() {
    post()
    #expect(inbox.isNotifying)
    #expect(!inbox.hasNotified())
    #expect(!inbox.isNotifying)
    inbox.drain { $0.clear() }
    #expect(inbox.tryGoIdle())
    post()

    inbox.close()

    #expect(inbox.isNotifying)
    #expect(inbox.hasNotified())
    #expect(!inbox.isNotifying)
  }

  @Test("takes nothing in once it is closed")
  func closed() {
    inbox.close()

    #expect(!inbox.beginPost())
  }

  @Test("shows what a thread has posted that stood at its lock while another drained it")
  func postedWhileCollected() {
    post()
    let (isCollecting, mayGoOn) = (Flag(), Flag())
    let collector = WatchedThread { [inbox] in
      inbox.drain { entries in
        entries.clear()
        isCollecting.raise()
        while !mayGoOn.isRaised {}
      }
    }
    while !isCollecting.isRaised {}
    let poster = WatchedThread { [inbox] in
      _ = inbox.beginPost()
      _ = inbox.post(.plainOne {})
    }
    #expect(poster.waitUntilItSleeps())

    mayGoOn.raise()
    #expect(collector.join())
    #expect(poster.join())

    #expect(inbox.mayHoldEntries)
    #expect(!inbox.tryGoIdle())
  }

  @Test("never holds an entry and is not notified, whether a post or the going idle comes first")
  func postedWhileResting() {
    let (isHeld, mayGoOn) = (Flag(), Flag())
    post()
    let holder = WatchedThread { [inbox] in
      inbox.drain { entries in
        entries.clear()
        isHeld.raise()
        while !mayGoOn.isRaised {}
      }
    }
    while !isHeld.isRaised {}
    let (hasRested, mustNotify) = (Box(false), Box(false))
    let resting = WatchedThread { [inbox] in
      hasRested.value = inbox.tryGoIdle()
    }
    #expect(resting.waitUntilItSleeps())
    let poster = WatchedThread { [inbox] in
      _ = inbox.beginPost()
      mustNotify.value = inbox.post(.plainOne {})
    }
    #expect(poster.waitUntilItSleeps())

    mayGoOn.raise()
    for thread in [holder, resting, poster] { #expect(thread.join()) }

    #expect(inbox.mayHoldEntries)
    #expect(inbox.isNotified)
    #expect(hasRested.value == mustNotify.value)
  }
}

/// An inbox that several threads can share.
private final class SharedInbox: Sendable {
  private let inbox: Inbox

  init(isForTwo: Bool = false) { inbox = Inbox(isOpen: true, isForTwo: isForTwo) }

  var mayHoldEntries: Bool { inbox.mayHoldEntries }
  var isNotified: Bool { inbox.isNotified }
  var isNotifying: Bool { inbox.isNotifying }

  func beginPost() -> Bool { inbox.beginPost() == .open }
  func post(_ entry: UVDispatch.Entry) -> Bool { inbox.post(entry) }
  func hasNotified() -> Bool { inbox.hasNotified() }
  func drain(_ body: (inout Ring<UVDispatch.Entry>) -> Void) {
    inbox.drain { entries, _, _ in body(&entries) }
  }
  func tryGoIdle() -> Bool { inbox.tryGoIdle() }
  func close() { inbox.close() }
}

extension Ring<UVDispatch.Entry> {
  fileprivate mutating func clear() {
    while !isEmpty { _ = takeFirst() }
  }
}
