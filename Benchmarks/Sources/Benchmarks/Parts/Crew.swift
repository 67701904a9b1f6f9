import CPeers

/// Starts `count` threads that begin `body` together. Returns the nanoseconds until the last has ended.
/// `concurrentPerform` would not do: it has no more threads than there are processors.
func crew(_ count: Int, _ body: (Int) -> Void) -> Double {
  final class Box {
    let body: (Int) -> Void
    init(_ body: @escaping (Int) -> Void) { self.body = body }
  }
  return withoutActuallyEscaping(body) { body in
    let box = Box(body)
    let context = Unmanaged.passRetained(box)
    defer { context.release() }
    return cpeers_crew(
      Int32(count),
      { index, context in
        Unmanaged<Box>.fromOpaque(context!).takeUnretainedValue().body(Int(index))
      }, context.toOpaque())
  }
}
