import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

/// A case hangs if the fake holds its lock while it releases what a hook held.
@Suite("What a fake releases when it is told something else")
struct HookReleaseTests {
  @Test("is released without the lock, whatever hook held it", arguments: Hook.allCases)
  func hooks(hook: Hook) async {
    await #expect(processExitsWith: .success) { [hook = hook as Hook] in
      // A process that hangs must not outlive its test.
      alarm(20)
      // `exit` comes after the dispatcher is gone, since the leak checker does not see what refers to it
      // weakly.
      exit(try Self.releases(by: hook) == 3 ? 0 : 1)
    }
  }

  /// How many of three objects that `hook` held were released without the lock.
  private static func releases(by hook: Hook) throws -> Int {
    let dispatcher = RecordingDispatcher()
    let asked = Box(0)
    for end in ["replaced", "removed", "finished"] {
      hook.set(
        on: dispatcher,
        AtEnd { [weak dispatcher] in
          _ = dispatcher?.ledger
          asked.increment()
        })
      switch end {
      case "replaced": hook.set(on: dispatcher, AtEnd {})
      case "removed": hook.set(on: dispatcher, nil)
      default: try dispatcher.finish()
      }
    }
    return asked.value
  }

  @Test("is released without the lock, if a box of the contract held it")
  func box() async {
    await #expect(processExitsWith: .success) {
      alarm(20)
      let box = Box<AtEnd?>(nil)
      let asked = Box(0)
      box.value = AtEnd {
        _ = box.value
        asked.increment()
      }
      box.value = nil
      exit(asked.value == 1 ? 0 : 1)
    }
  }
}

enum Hook: String, CaseIterable, Codable {
  case onEvent, onEnter, onExit, onUnexpectedUse

  /// Makes the hook hold `held` and nothing else; removes the hook if `held` is nil.
  func set(on dispatcher: RecordingDispatcher, _ held: AtEnd?) {
    switch self {
    case .onEvent: dispatcher.onEvent = Self.keeping(held)
    case .onEnter: dispatcher.onEnter = Self.keeping(held)
    case .onExit: dispatcher.onExit = Self.keeping(held)
    case .onUnexpectedUse: dispatcher.onUnexpectedUse = Self.keeping(held)
    }
  }

  private static func keeping<Argument>(_ held: AtEnd?) -> (@Sendable (Argument) -> Void)? {
    guard let held else { return nil }
    return { _ in withExtendedLifetime(held) {} }
  }
}
