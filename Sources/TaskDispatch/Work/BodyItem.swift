/// A work item whose body makes no value.
class BodyItem: WorkItem, @unchecked Sendable {
  // As of any item. Once the body has thrown, one that throws the same.
  @safe @exclusivity(unchecked) final var body: (() throws -> Void)?

  init(
    _ origin: Origin, _ more: consuming More, hasTimeToLive: Bool,
    body: consuming sending @escaping () throws -> Void
  ) {
    self.body = body
    super.init(origin, more, hasTimeToLive: hasTimeToLive)
  }

  override final func callBody() throws {
    guard let body = body.take() else { refuseToRunTwice() }
    try body()
  }

  override final func endBody(_ outcome: Outcome) {
    if case .failed(let error) = outcome { body = { throw error } } else { body = nil }
  }

  override final var failure: (any Error)? {
    do {
      try body?()
      return nil
    } catch {
      return error
    }
  }
}

/// One with a label, which it has room for.
final class LabelledItem: BodyItem, @unchecked Sendable {
  private let ownLabel: String

  init(
    _ origin: Origin, view: QueueView?, group: WorkGroup?, label: String, timeToLive: Duration?,
    body: consuming sending @escaping () throws -> Void
  ) {
    ownLabel = label
    super.init(
      origin, More(view: view, group: group, timeToLive: timeToLive),
      hasTimeToLive: timeToLive != nil, body: body)
  }

  override var label: String? { ownLabel }
}

/// One that waits for a time, which it has room for.
final class TimerItem: BodyItem, @unchecked Sendable {
  private let ownDue: Int64

  init(
    _ origin: Origin, view: QueueView?, group: WorkGroup?, label: String?, due: Int64,
    tolerance: Duration, repetition: Repetition?, timeToLive: Duration?,
    body: consuming sending @escaping () throws -> Void
  ) {
    ownDue = due
    super.init(
      origin,
      More(
        view: view, group: group, label: label, timeToLive: timeToLive, tolerance: tolerance,
        repetition: repetition),
      hasTimeToLive: timeToLive != nil, body: body)
  }

  override var dueInNanoseconds: Int64? { ownDue }
}
