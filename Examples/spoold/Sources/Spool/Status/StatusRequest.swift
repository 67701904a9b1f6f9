/// What a client of the status socket may ask for: a line such as `{"request":"status"}`.
public enum StatusRequest: String, Sendable, CaseIterable {
  /// What spoold is doing, in numbers.
  case status
  /// Go through all of the spool again.
  case rescan
  /// Everything that spoold knows of itself, as lines for a person.
  case dump
}

/// Why a line is no request.
struct RequestRefusal: Error, Sendable, Hashable {
  let reason: String

  /// The reply for the client.
  var reply: JSON { .object([.init("ok", false), .init("error", "\(reason)")]) }
}

extension StatusRequest {
  private static let form = #"expected {"request":"status"}, "rescan" or "dump""#

  /// - Parameter line: A line without its end.
  init(_ line: ArraySlice<UInt8>) throws(RequestRefusal) {
    let object: FlatObject
    do throws(FlatObject.Refusal) { object = try FlatObject(line) } catch {
      throw RequestRefusal(
        reason: "this is no request: \(error.reason), at byte \(error.column); \(Self.form)")
    }
    let names = object.members.keys.filter { $0 != "request" }.sorted()
    guard names.isEmpty else {
      let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
      throw RequestRefusal(reason: "a request has no \(list); \(Self.form)")
    }
    switch object.members["request"] {
    case .string(let name):
      guard let request = StatusRequest(rawValue: name) else {
        throw RequestRefusal(reason: "there is no request \"\(name)\"; \(Self.form)")
      }
      self = request
    case nil: throw RequestRefusal(reason: "\"request\" is missing; \(Self.form)")
    default: throw RequestRefusal(reason: "\"request\" is no string; \(Self.form)")
    }
  }
}
