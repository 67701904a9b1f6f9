import Glibc
import TaskDispatchTesting
import Testing

@testable import TaskDispatch

@Suite("The memory of an item")
struct ItemSizeTests {
  private let queue = RecordingDispatcher().background

  /// As many bytes as `malloc` passes from thread to thread without its lock: see ``WorkItem``.
  private func expectSmall(_ item: WorkItem, _ line: UInt = #line) {
    // In no module that Swift imports.
    typealias UsableSize = @convention(c) (UnsafeMutableRawPointer) -> Int
    let usableSize = unsafe unsafeBitCast(dlsym(nil, "malloc_usable_size"), to: UsableSize.self)
    let size = unsafe usableSize(Unmanaged.passUnretained(item).toOpaque())
    #expect(size > 0)
    #expect(size <= 120, "an item of \(type(of: item)), line \(line)")
  }

  private func make(
    _ kind: WorkItem.Kind = .task, label: String? = nil, due: DispatcherInstant? = nil
  ) -> WorkItem {
    WorkItem.make(kind: kind, queue: queue, label: label, site: .here(), due: due) {}
  }

  @Test("is what malloc passes from thread to thread without its lock")
  func isSmall() {
    expectSmall(make())
    expectSmall(make(label: "labelled"))
    expectSmall(make(.timer, due: .start))
    expectSmall(ValueItem(kind: .task, queue: queue, label: nil, site: .here()) { 1 })
    expectSmall(ValueItem(kind: .task, queue: queue, label: nil, site: .here()) { "" })
  }
}

extension CallSite {
  fileprivate static func here(fileID: StaticString = #fileID, line: UInt = #line) -> CallSite {
    CallSite(fileID: fileID, line: line)
  }
}
