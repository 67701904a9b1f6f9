internal import CUV
internal import TaskDispatch

/// The names of threads, as `top -H` and a debugger show them.
enum ThreadName {
  /// Names the calling thread after a dispatcher and what the thread does for it.
  ///
  /// The kernel keeps 15 bytes. The role is kept, and the label is shortened if it must be.
  static func set(_ label: String, _ role: String?) {
    guard let role else { return unsafe cuv_name_thread(label) }
    var label = Substring(label)
    while label.utf8.count + 1 + role.utf8.count > 15, !label.isEmpty { label.removeLast() }
    unsafe cuv_name_thread("\(label) \(role)")
  }

  /// Names the calling worker after the dispatcher that it works for. It keeps the name until it works for another
  /// one. A system call only if the name changes.
  static func setOnWorker(of label: String, _ name: WorkItem.DispatcherName) {
    if TaskContext.threadIsNamedAfter == name { return }
    TaskContext.threadIsNamedAfter = name
    set(label, "worker")
  }
}
