// A search as an engineer writes it first, and the test that tries it in every order.
import TaskDispatch
import TaskDispatchTesting

/// Shows the answer to what was typed last. Or so it should.
final class HastySearch: Sendable {
  private let dispatcher: any TaskDispatcher
  private let answer: Confined<String>

  init(dispatcher: any TaskDispatcher) {
    self.dispatcher = dispatcher
    answer = Confined("", to: dispatcher.foreground)
  }

  var shown: String { answer.withValue { $0 } }

  /// On the foreground.
  func type(_ query: String) {
    dispatcher.background.async(label: "fetch") { [dispatcher, answer] in
      let text = "answer to \(query)"
      dispatcher.foreground.async(label: "show") { answer.withValue { $0 = text } }
    }
  }
}

/// Shows the answer to what was typed last.
final class Search: Sendable {
  private struct Screen {
    var query = ""
    var answer = ""
  }

  private let dispatcher: any TaskDispatcher
  private let screen: Confined<Screen>

  init(dispatcher: any TaskDispatcher) {
    self.dispatcher = dispatcher
    screen = Confined(Screen(), to: dispatcher.foreground)
  }

  var shown: String { screen.withValue { $0.answer } }

  /// On the foreground.
  func type(_ query: String) {
    screen.withValue { $0.query = query }
    dispatcher.background.async(label: "fetch") { [dispatcher, screen] in
      let text = "answer to \(query)"
      dispatcher.foreground.async(label: "show") {
        screen.withValue { if $0.query == query { $0.answer = text } }
      }
    }
  }
}

let result = try explore(.exhaustive) { dispatcher in
  let search = Search(dispatcher: dispatcher)
  for query in ["s", "swift"] {
    dispatcher.foreground.async(label: "type \(query)") { search.type(query) }
  }
  try dispatcher.runUntilIdle()
  return search.shown
}
print("\(result.ordersSeen) orders, and always: \(result.outcomes)")
