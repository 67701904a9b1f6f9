// A view model that is handed a queue, and a test that runs everything inline.
import TaskDispatch
import TaskDispatchTesting

/// What a profile page shows. All it asks for is a queue that runs one task at a time.
final class ProfileModel: Sendable {
  private let queue: TaskQueue
  private let title: Confined<String>
  private let load: @Sendable (Int) throws -> String

  init(queue: TaskQueue, load: @escaping @Sendable (Int) throws -> String) {
    self.queue = queue
    self.load = load
    title = Confined("nobody", to: queue)
  }

  func select(user: Int) {
    queue.async(label: "select \(user)") { [title, load] in
      let name = (try? load(user)) ?? "user \(user) cannot be shown"
      title.withValue { $0 = name }
    }
  }

  /// What the page shows, once everything that was selected before is loaded.
  func shownTitle() throws -> String {
    try queue.sync { title.withValue { $0 } }
  }
}

let names = [7: "Ada"]
let load: @Sendable (Int) throws -> String = { [names] user in
  guard let name = names[user] else { throw CancellationError() }
  return name
}

// A program hands it a queue of its own: dispatcher.makeQueue(label: "profile", width: 1).
let inline = RecordingDispatcher(.init(policy: .inline))
let model = ProfileModel(queue: inline.makeQueue(label: "profile", width: 1), load: load)

print("at first: \(try model.shownTitle())")
model.select(user: 7)
print("after select(user: 7), without a step: \(try model.shownTitle())")
model.select(user: 8)
print("after select(user: 8): \(try model.shownTitle())")
try inline.finish()
