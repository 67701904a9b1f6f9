internal import UVDispatch

/// Posts 256 bodies and lets them run, again and again, so that none is awaited one by one.
func profileReal(batches: Int, onBackground: Bool) throws {
  let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
  let queue = onBackground ? dispatcher.background : dispatcher.foreground
  for _ in 0..<batches {
    for number in 0..<256 {
      queue { [number, batches] in precondition(number < 256 && batches > 0) }
    }
    dispatcher.runUntilIdle()
  }
}
