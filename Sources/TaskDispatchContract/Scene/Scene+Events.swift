internal import TaskDispatch

extension Scene {
  /// The dispatcher as an `EventDispatcher`. Throws a violation if it is none.
  func eventDispatcher(
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> any EventDispatcher {
    guard let dispatcher = dispatcher as? any EventDispatcher else {
      throw violation(
        "a dispatcher whose subject provides events is an EventDispatcher",
        "\(type(of: dispatcher))", fileID: fileID, line: line)
    }
    return dispatcher
  }

  func raise(_ signal: Signal, fileID: StaticString = #fileID, line: UInt = #line) {
    expectNoThrow("\(signal) can be raised", fileID: fileID, line: line) {
      try driver.raise(signal)
    }
  }

  func openDescriptor() throws -> CInt { try driver.openDescriptor() }

  func makeReadable(
    _ descriptor: CInt, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    expectNoThrow("a descriptor can be made readable", fileID: fileID, line: line) {
      try driver.makeReadable(descriptor)
    }
  }

  func makeUnreadable(
    _ descriptor: CInt, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    expectNoThrow("a descriptor can be made unreadable", fileID: fileID, line: line) {
      try driver.makeUnreadable(descriptor)
    }
  }

  func expectRefusal(
    _ expected: EventRefusal, _ what: String, fileID: StaticString = #fileID, line: UInt = #line,
    of register: () throws -> Registration
  ) {
    var found: EventRefusal?
    do { try register().cancel() } catch { found = error as? EventRefusal }
    expect(what, found, is: expected, fileID: fileID, line: line)
  }
}
