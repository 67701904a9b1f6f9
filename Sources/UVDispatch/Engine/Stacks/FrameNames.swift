internal import TaskDispatch

// What makes a backtrace of frames that the library has not found itself is no public interface. So a compiler that
// this was not tried with gets no names, rather than an error.
#if canImport(Runtime) && compiler(>=6.3) && compiler(<6.4)
  @_spi(Internal) internal import Runtime

  /// Names functions and lines by the symbols and the debug information of the program and its libraries.
  final class FrameNames: Sendable {
    /// An address of code, with what it says about the function there.
    fileprivate struct Address: Hashable {
      let address: UInt64
      let isReturnAddress: Bool
    }

    /// Taken once: it reads the headers of all that is loaded at the moment, and crashes if another thread unloads one.
    private let images = ImageMap.capture()
    /// What was found so far. The frames of the dispatcher and of bodies that stall come again and again.
    private let known = Locked<[Address: [StackTrace.Frame]]>([:])
    /// A program has fewer places that stall. If they were more, they must not fill the memory.
    private static let mostKnown = 4096

    /// With the functions that were inlined in them, and without those that only convert between conventions of calls.
    func frames(_ frames: [Unwinder.Frame], _ unwinder: Unwinder) -> [StackTrace.Frame] {
      let known = known.withLock { $0 }
      let new = frames.filter { known[Address($0)] == nil }
      let found = new.isEmpty ? [:] : search(new, unwinder)
      self.known.withLock { known in
        if known.count + found.count > Self.mostKnown { known = [:] }
        known.merge(found) { $1 }
      }
      return frames.flatMap { frame in
        (known[Address(frame)] ?? found[Address(frame)]!).map {
          frame.isGuessed ? $0.uncertain : $0
        }
      }
    }

    private func search(
      _ frames: [Unwinder.Frame], _ unwinder: Unwinder
    ) -> [Address: [StackTrace.Frame]] {
      let captured = frames.map { frame in
        frame.isReturnAddress
          ? RichFrame<UInt64>.returnAddress(frame.address) : .programCounter(frame.address)
      }
      let backtrace = Backtrace(
        architecture: Self.architecture, frames: captured, images: images)
      var left = frames[...]
      var found: [Address: [StackTrace.Frame]] = [:]
      // What is inlined comes before the function that it is inlined in, at the same address.
      for named in backtrace.symbolicated()?.frames ?? [] {
        guard let address = UInt64(named.captured.originalProgramCounter),
          let index = left.firstIndex(where: { $0.address == address })
        else { continue }
        left = left[index...]
        let frame = left[index]
        if !named.inlined { left = left.dropFirst() }
        let name = unwinder.named(frame, named.symbol, isInlined: named.inlined)
        found[Address(frame), default: []] += named.isSwiftThunk ? [] : [name]
      }
      for frame in frames where found[Address(frame)] == nil {
        found[Address(frame)] = [unwinder.unnamed(frame)]
      }
      return found
    }

    #if arch(x86_64)
      private static let architecture = "x86_64"
    #else
      private static let architecture = "aarch64"
    #endif
  }

  extension FrameNames.Address {
    fileprivate init(_ frame: Unwinder.Frame) {
      self.init(address: frame.address, isReturnAddress: frame.isReturnAddress)
    }
  }

  extension Unwinder {
    fileprivate func named(
      _ frame: Frame, _ symbol: SymbolicatedBacktrace.Symbol?, isInlined: Bool
    ) -> StackTrace.Frame {
      let unnamed = unnamed(frame)
      // The library says that it knows none.
      guard let symbol, symbol.name != "<unknown>" else { return unnamed }
      let source = symbol.sourceLocation
      return StackTrace.Frame(
        function: symbol.name, module: module(of: symbol.rawName), file: source?.path,
        line: source?.line, library: unnamed.library, offset: unnamed.offset,
        isInlined: isInlined)
    }

    /// The symbol of a Swift function begins with `$s`, the length of its module's name, and that name. `$ss` stands for
    /// the standard library, and so does `$sS` for its best known types.
    private func module(of symbol: String) -> String? {
      guard symbol.hasPrefix("$s") else { return nil }
      let name = symbol.dropFirst(2)
      let digits = name.prefix { $0.isNumber }
      guard let length = Int(digits) else {
        return name.hasPrefix("Sc") ? "_Concurrency" : "Swift"
      }
      return String(name.dropFirst(digits.count).prefix(length))
    }
  }
#else
  final class FrameNames: Sendable {
    func frames(_ frames: [Unwinder.Frame], _ unwinder: Unwinder) -> [StackTrace.Frame] {
      frames.map { frame in
        frame.isGuessed ? unwinder.unnamed(frame).uncertain : unwinder.unnamed(frame)
      }
    }
  }
#endif

extension StackTrace.Frame {
  fileprivate var uncertain: Self {
    Self(
      function: function, module: module, file: file, line: line, library: library,
      offset: offset, isInlined: isInlined, isCertain: false)
  }
}

extension Unwinder {
  fileprivate func unnamed(_ frame: Frame) -> StackTrace.Frame {
    let address = frame.isReturnAddress ? frame.address &- 1 : frame.address
    let image = image(of: address)
    let path = image.flatMap { $0.path.isEmpty ? nil : $0.path }
    return StackTrace.Frame(
      function: nil, module: nil, file: nil, line: nil, library: path,
      offset: address &- (image?.base ?? 0))
  }
}
