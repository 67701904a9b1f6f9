internal import TaskDispatch

/// Names no thread: the simulated ones have names already.
enum ThreadName {
  static func setOnWorker(of label: String, _ name: WorkItem.DispatcherName) {}
}
