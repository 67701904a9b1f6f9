import UVDispatch

/// Makes a dispatcher, lets it run both kinds of tasks, and shuts it down. A program in C that has
/// loaded this library calls it.
///
/// - Returns: How many bodies were completed; -1 if the ledger does not balance; -2 if no dispatcher
///   could be made.
@_cdecl("run_loaded_dispatcher")
public func runLoadedDispatcher() -> CInt {
  guard let dispatcher = try? UVDispatcher() else { return -2 }
  for _ in 0..<100 { dispatcher.background { dispatcher.foreground {} } }
  dispatcher.foreground.after(.milliseconds(1)) { dispatcher.beginShutdown() }
  let ledger = dispatcher.run().ledger
  return ledger.balances ? CInt(ledger.completed) : -1
}
