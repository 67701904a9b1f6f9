import Dispatch
import NIOCore
import NIOPosix
import UVDispatch

extension Subject {
  static let uvForeground = Subject(name: "UVDispatch") { use in
    let dispatcher = try! UVDispatcher()
    try! dispatcher.start()
    let queue = dispatcher.foreground
    use { body in queue(body) }
    dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(10), cancel: .zero))
  }

  static func uvBackground(width: Int) -> Subject {
    Subject(name: "UVDispatch") { use in
      let dispatcher = try! UVDispatcher(.init(backgroundWidth: width))
      precondition(dispatcher.effectiveBackgroundWidth == width, "the pool is too small")
      try! dispatcher.start()
      let queue = dispatcher.background
      use { body in queue(body) }
      dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(10), cancel: .zero))
    }
  }

  static let nioLoop = Subject(name: "NIO execute") { use in
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    use { body in loop.execute(body) }
    try! group.syncShutdownGracefully()
  }

  static func nioThreadPool(width: Int) -> Subject {
    Subject(name: "NIOThreadPool") { use in
      let pool = NIOThreadPool(numberOfThreads: width)
      pool.start()
      use { body in pool.submit { _ in body() } }
      try! pool.syncShutdownGracefully()
    }
  }

  static let dispatchSerial = Subject(name: "Dispatch serial") { use in
    let queue = DispatchQueue(label: "serial")
    use { body in queue.async(execute: body) }
  }

  static let dispatchConcurrent = Subject(name: "Dispatch concurrent") { use in
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    use { body in queue.async(execute: body) }
  }
}
