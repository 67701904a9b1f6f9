// A dispatcher that code finds by itself, and that a test replaces for a scope.
import TaskDispatch
import TaskDispatchTesting

/// Counts words off the loop. It is made deep inside other code, which has no dispatcher to hand
/// to it. So it asks for the current one.
struct WordCounter {
  func count(
    _ text: String, priority: PriorityBand = .medium,
    then show: @escaping @Sendable (Int) -> Void
  ) {
    let dispatcher = Dispatchers.current
    dispatcher.background.async(priority: priority, label: "count") {
      let words = text.split(separator: " ").count
      dispatcher.foreground.async(label: "show") { show(words) }
    }
  }
}

// A program does this once, at its start, with the dispatcher that it runs on.
Dispatchers.bootstrap(RecordingDispatcher(.init(policy: .automatic)))
WordCounter().count("one two three") { print("in the program, at once: \($0) words") }

// A test does this, beside as many others as it likes.
let fake = RecordingDispatcher()
try withDispatcher(fake) {
  WordCounter().count("a replaced dispatcher") { print("in the test, when stepped: \($0) words") }
  print("queued: \(fake.pendingTasks.count), shown: nothing")

  try fake.runNextBackgroundTask()
  try fake.runNextForegroundTask()

  do { try fake.runNextForegroundTask() } catch { print("one step too many: \(error)") }
}
try fake.finish()

// After the scope the program's own is current again.
WordCounter().count("back in the program") { print("in the program again: \($0) words") }
