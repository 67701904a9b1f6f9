import Dispatch
import Foundation

/// A queue of Dispatch.
final class DispatchSubject: Subject {
  let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  static var serial: DispatchSubject { .init(DispatchQueue(label: "serial")) }
  static var concurrent: DispatchSubject {
    .init(DispatchQueue(label: "concurrent", attributes: .concurrent))
  }
  static var global: DispatchSubject { .init(DispatchQueue.global()) }
  /// The thread that called `dispatchMain` serves it.
  static var main: DispatchSubject { .init(DispatchQueue.main) }

  func submit(_ counter: Counter, _ rounds: Int) { queue.async { work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}

/// `OperationQueue` of Foundation.
final class Operations: Subject {
  private let queue = OperationQueue()

  init(width: Int) { queue.maxConcurrentOperationCount = width }

  func submit(_ counter: Counter, _ rounds: Int) { queue.addOperation { work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { queue.addOperation(body) }
}
