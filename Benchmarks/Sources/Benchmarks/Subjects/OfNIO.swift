import NIOCore
import NIOPosix

/// `EventLoop.execute` of SwiftNIO.
final class NIOLoop: Subject {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let loop: any EventLoop

  init() { loop = group.next() }

  func submit(_ counter: Counter, _ rounds: Int) { loop.execute { work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }
}

/// `NIOThreadPool` of SwiftNIO.
final class NIOPool: Subject {
  let pool: NIOThreadPool

  init(width: Int) {
    pool = NIOThreadPool(numberOfThreads: width)
    pool.start()
  }

  func submit(_ counter: Counter, _ rounds: Int) { pool.submit { _ in work(rounds, counter) } }
  func run(_ body: @escaping @Sendable () -> Void) { pool.submit { _ in body() } }
}
