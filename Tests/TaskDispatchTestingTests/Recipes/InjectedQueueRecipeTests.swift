import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/InjectedQueue.md shows the type and the first test.
@Suite("The second idea: a view model with an injected queue, run inline")
struct InjectedQueueRecipeTests {
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

  struct NoSuchUser: Error {}

  @Test("shows the name as soon as a user is selected")
  func showsTheName() throws {
    let inline = RecordingDispatcher(.init(policy: .inline))
    let queue = inline.makeQueue(label: "profile", width: 1)
    let model = ProfileModel(queue: queue) { "user number \($0)" }

    model.select(user: 7)

    #expect(try model.shownTitle() == "user number 7")
    try inline.finish()
  }

  @Test("says so when the user cannot be loaded")
  func saysThatItFailed() throws {
    let inline = RecordingDispatcher(.init(policy: .inline))
    let queue = inline.makeQueue(label: "profile", width: 1)
    let model = ProfileModel(queue: queue) { _ in throw NoSuchUser() }

    model.select(user: 8)

    #expect(try model.shownTitle() == "user 8 cannot be shown")
    try inline.finish()
  }

  @Test("runs on the foreground as well, where the test itself may look at the state")
  func acceptsTheForeground() throws {
    let inline = RecordingDispatcher(.init(policy: .inline))
    let model = ProfileModel(queue: inline.foreground) { "user number \($0)" }

    model.select(user: 7)

    #expect(try model.shownTitle() == "user number 7")
    try inline.finish()
  }

  @Test("shows the last of two users by the order of the queue, which only steps can tell")
  func keepsTheOrder() throws {
    let fake = RecordingDispatcher()
    let queue = fake.makeQueue(label: "profile", width: 1)
    let model = ProfileModel(queue: queue) { "user number \($0)" }

    model.select(user: 7)
    model.select(user: 8)
    #expect(fake.ran == [])
    try fake.runNextTask(on: queue)

    #expect(fake.ran == ["select 7"])
    #expect(try model.shownTitle() == "user number 8")
    try fake.finish()
  }
}
