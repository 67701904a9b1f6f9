/// A work item whose body makes no value.
class BodyItem: WorkItem, @unchecked Sendable {
  // As of any item. Once the body has thrown, one that throws the same.
  @safe @exclusivity(unchecked) final var body: (() throws -> Void)?

  init(
    _ origin: Origin, _ more: consuming More, body: consuming sending @escaping () throws -> Void
  ) {
    self.body = body
    super.init(origin, more)
  }

  override final func callBody() throws {
    guard let body = body.take() else { refuseToRunTwice() }
    try body()
  }

  override final func keep(_ failure: any Error) { body = { throw failure } }

  override final var holdsUnrunBody: Bool { body != nil }

  override final func releaseUnrun() { body = nil }

  override final var failure: (any Error)? {
    do {
      try body?()
      return nil
    } catch {
      return error
    }
  }
}

/// One with a label.
final class LabelledItem: BodyItem, @unchecked Sendable {
  private let ownLabel: String

  init(
    _ origin: Origin, _ more: consuming More, label: String,
    body: consuming sending @escaping () throws -> Void
  ) {
    ownLabel = label
    super.init(origin, more, body: body)
  }

  override var label: String? { ownLabel }
}

/// One that waits for a time.
final class TimerItem: BodyItem, @unchecked Sendable {
  private let ownDue: Int64

  init(
    _ origin: Origin, _ more: consuming More, due: Int64,
    body: consuming sending @escaping () throws -> Void
  ) {
    ownDue = due
    super.init(origin, more, body: body)
  }

  override var dueInNanoseconds: Int64? { ownDue }
}
