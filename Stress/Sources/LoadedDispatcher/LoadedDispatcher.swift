import UVDispatch

/// Makes a dispatcher, lets it do both kinds of work, and shuts it down: for a program in C that has
/// loaded this library.
///
/// - Returns: How many bodies were completed, or -1 if the ledger does not balance, -2 if there is no
///   dispatcher to be had.
@_cdecl("run_loaded_dispatcher")
public func runLoadedDispatcher() -> CInt {
  guard let dispatcher = try? UVDispatcher() else { return -2 }
  for _ in 0..<100 { dispatcher.background { dispatcher.foreground {} } }
  dispatcher.foreground.after(.milliseconds(1)) { dispatcher.beginShutdown() }
  let ledger = dispatcher.run().ledger
  return ledger.balances ? CInt(ledger.completed) : -1
}
