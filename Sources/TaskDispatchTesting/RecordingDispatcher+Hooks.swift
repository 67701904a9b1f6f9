internal import Synchronization
public import TaskDispatch

extension RecordingDispatcher {
  // The dispatcher retains a hook, so a hook that captures the dispatcher must capture it weakly.

  /// Called after each event, on the thread on which it happened. It may submit, and must not step.
  public var onEvent: (@Sendable (TaskEvent) -> Void)? {
    get { withState { $0.hooks.onEvent } }
    set {
      let former = withState { state in
        defer { state.setOnEvent(newValue) }
        return state.hooks.onEvent
      }
      // Released without the lock: a `deinit` of the test's that runs here may call this dispatcher.
      _ = consume former
    }
  }

  /// Called on the stepping thread just before each body, with ``currentTask`` set.
  public var onEnter: (@Sendable (TaskRecord) -> Void)? {
    get { withState { $0.hooks.onEnter } }
    set { setBodyHook(\.onEnter, newValue) }
  }

  /// Called on the stepping thread just after each body, with ``currentTask`` still set.
  public var onExit: (@Sendable (TaskRecord) -> Void)? {
    get { withState { $0.hooks.onExit } }
    set { setBodyHook(\.onExit, newValue) }
  }

  /// Called at once when a dispatcher whose policy is `.unimplemented` is used. `finish()` reports
  /// the use as well.
  public var onUnexpectedUse: (@Sendable (CallSite) -> Void)? {
    get { withState { $0.hooks.onUnexpectedUse } }
    set {
      let former = withState { state in
        defer { state.hooks.onUnexpectedUse = newValue }
        return state.hooks.onUnexpectedUse
      }
      _ = consume former
    }
  }

  func removeHooks() {
    let former = withState { state in
      defer {
        state.setOnEvent(nil)
        state.hooks = State.Hooks()
      }
      return state.hooks
    }
    hasHooks.store(false, ordering: .relaxed)
    // Without the lock, and last: see `onEvent`.
    _ = consume former
  }

  private func setBodyHook(
    _ hook: WritableKeyPath<State.Hooks, (@Sendable (TaskRecord) -> Void)?>,
    _ call: (@Sendable (TaskRecord) -> Void)?
  ) {
    let (former, areSet) = withState { state in
      let former = state.hooks[keyPath: hook]
      state.hooks[keyPath: hook] = call
      return (former, state.hooks.onEnter != nil || state.hooks.onExit != nil)
    }
    hasHooks.store(areSet, ordering: .relaxed)
    // Without the lock, and last: see `onEvent`.
    _ = consume former
  }
}
