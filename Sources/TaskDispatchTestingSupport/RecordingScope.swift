internal import TaskDispatch
internal import TaskDispatchTesting
internal import Testing

/// Makes a dispatcher current for a test, finishes it, and reports what it left to the test framework.
struct RecordingScope: Sendable {
  private let dispatcher: RecordingDispatcher
  /// The place of the test, for reports that have no line of their own.
  private let place: Place
  private let toldUses: ToldUses

  init(_ configuration: RecordingDispatcher.Configuration, at place: Place) {
    let toldUses = ToldUses()
    dispatcher = RecordingDispatcher(configuration)
    self.place = place
    self.toldUses = toldUses
    dispatcher.onUnexpectedUse = { site in
      // Outside the test's own Task it is unknown which test the use belongs to. `finish()` will report it.
      guard Test.current != nil else { return }
      toldUses.add(site)
      report(unexpectedUse: site, near: place)
    }
  }

  func run<Result, Failure: Error>(
    _ body: (RecordingDispatcher) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(Failure) {
      let result = try withDispatcher(dispatcher) { () throws(Failure) in try body(dispatcher) }
      finish(bodyThrew: false)
      return result
    } catch {
      finish(bodyThrew: true)
      throw error
    }
  }

  nonisolated(nonsending) func run<Result>(
    _ body: nonisolated(nonsending) (RecordingDispatcher) async throws -> Result
  ) async rethrows -> Result {
    do {
      let result = try await withDispatcher(dispatcher) { try await body(dispatcher) }
      finish(bodyThrew: false)
      return result
    } catch {
      finish(bodyThrew: true)
      throw error
    }
  }

  private func finish(bodyThrew: Bool) {
    // Made before `finish()`, which cancels what is left: that is no part of what the test did.
    let story = dispatcher.ledger.waiting == 0 ? nil : Story(of: dispatcher)
    do {
      try dispatcher.finish()
    } catch {
      var rest = error
      for site in toldUses.missing(of: error.unexpectedUses) {
        report(unexpectedUse: site, near: place)
      }
      rest.unexpectedUses = []
      guard !rest.description.isEmpty else { return }
      report(rest, story ?? Story(of: dispatcher), bodyThrew: bodyThrew, at: place)
    }
  }
}

/// The uses of an `.unimplemented` dispatcher that were reported to the test framework already.
private final class ToldUses: Sendable {
  private let sites = Locked<[CallSite]>([])

  func add(_ site: CallSite) { sites.withLock { $0.append(site) } }

  /// The uses in `all` that were not reported.
  func missing(of all: [CallSite]) -> [CallSite] {
    var told = sites.withLock { $0 }
    return all.filter { site in
      guard let index = told.firstIndex(of: site) else { return true }
      told.remove(at: index)
      return false
    }
  }
}
