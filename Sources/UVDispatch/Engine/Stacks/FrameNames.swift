internal import TaskDispatch

// What makes a backtrace of frames that the library has not found itself is no public interface. So a compiler that
// this was not tried with gets no names, rather than an error.
#if canImport(Runtime) && compiler(>=6.3) && compiler(<6.4)
  @_spi(Internal) @_spi(MemoryReaders) internal import Runtime

  /// Names functions and lines by the symbols and the debug information of the program and its libraries.
  final class FrameNames: Sendable {
    /// An address of code, with what it says about the function there.
    fileprivate struct Address: Hashable {
      let address: UInt64
      let isReturnAddress: Bool
    }

    /// What is loaded at the moment. The reader asks the kernel for the memory, since another thread may unload a library
    /// that this reads the headers of.
    private let images = ImageMap.capture(using: LocalMemoryReader())
    private let files: LoadedFiles
    /// What was found so far. The frames of the dispatcher and of bodies that stall come again and again.
    private let known = Locked<[Address: [StackTrace.Frame]]>([:])
    /// A program has fewer places that stall. If they were more, they must not fill the memory.
    private static let mostKnown = 4096

    init(_ images: [LoadedImage]) { files = LoadedFiles(images.map(\.path)) }

    /// With the functions that were inlined in them, and without those that only convert between conventions of calls.
    func frames(_ frames: [Unwinder.Frame], _ unwinder: Unwinder) -> [StackTrace.Frame] {
      let known = known.withLock { $0 }
      // Each once: a function that calls itself has many frames at one address.
      var seen = Set(known.keys)
      let new = frames.filter { seen.insert(Address($0)).inserted }
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
      var found: [Address: [StackTrace.Frame]] = [:]
      // The names would come from what is in the file now.
      let changed = files.changed()
      let frames = frames.filter { frame in
        guard let path = unwinder.image(of: frame.inside)?.path, changed.contains(path) else {
          return true
        }
        found[Address(frame)] = [unwinder.unnamed(frame)]
        return false
      }
      if frames.isEmpty { return found }
      let captured = frames.map { frame in
        frame.isReturnAddress
          ? RichFrame<UInt64>.returnAddress(frame.address) : .programCounter(frame.address)
      }
      let backtrace = Backtrace(
        architecture: Self.architecture, frames: captured, images: images)
      var left = frames[...]
      // What is inlined comes before the function that it is inlined in, at the same address.
      for named in backtrace.symbolicated()?.frames ?? [] {
        guard let address = UInt64(named.captured.originalProgramCounter),
          let index = left.firstIndex(where: { $0.address == address })
        else { continue }
        left = left[index...]
        let frame = left[index]
        if !named.inlined { left = left.dropFirst() }
        let name = unwinder.named(frame, named.symbol, isInlined: named.inlined)
        // A conversion between conventions of calls has no line, unless the body that it calls is inlined in it.
        let isEmpty = named.isSwiftThunk && (name.line ?? 0) == 0
        found[Address(frame), default: []] += isEmpty ? [] : [name]
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
        function: functionName(symbol.name), module: SymbolName.module(of: symbol.rawName),
        file: source?.path, line: source?.line, library: unnamed.library, offset: unnamed.offset,
        isInlined: isInlined)
    }

    /// The body that a forwarder calls, if that is inlined in it.
    private func functionName(_ name: String) -> String {
      for forwarder in ["partial apply forwarder for ", "partial apply for "]
      where name.hasPrefix(forwarder) { return String(name.dropFirst(forwarder.count)) }
      return name
    }
  }
#else
  final class FrameNames: Sendable {
    init(_ images: [LoadedImage]) {}

    func frames(_ frames: [Unwinder.Frame], _ unwinder: Unwinder) -> [StackTrace.Frame] {
      frames.map { frame in
        frame.isGuessed ? unwinder.unnamed(frame).uncertain : unwinder.unnamed(frame)
      }
    }
  }
#endif

/// Symbols as the Swift compiler writes them.
enum SymbolName {
  /// The module that a Swift function belongs to. Nil if the symbol is none of Swift's.
  ///
  /// The symbol begins with `$s`, the length of the module's name, and that name. `$ss` stands for the standard library,
  /// and so does `$sS` for its best known types. In an extension, the module of the extension and an `E` follow the
  /// type.
  static func module(of symbol: String) -> String? {
    guard symbol.hasPrefix("$s") else { return nil }
    let name = symbol.dropFirst(2)
    if let module = moduleOfExtension(in: name) { return module }
    let digits = name.prefix { $0.isNumber }
    guard let length = Int(digits) else {
      return name.hasPrefix("Sc") ? "_Concurrency" : "Swift"
    }
    return String(name.dropFirst(digits.count).prefix(length))
  }

  private static func moduleOfExtension(in symbol: Substring) -> String? {
    var rest = symbol
    var module: String?
    while let first = rest.first {
      guard first.isNumber, let length = Int(rest.prefix { $0.isNumber }) else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.drop { $0.isNumber }
      let identifier = rest.prefix(length)
      rest = rest.dropFirst(length)
      if rest.first == "E" { module = String(identifier) }
    }
    return module
  }
}

extension Unwinder.Frame {
  /// An address in the function, also if the call was its last instruction.
  fileprivate var inside: UInt64 { isReturnAddress ? address &- 1 : address }
}

extension StackTrace.Frame {
  fileprivate var uncertain: Self {
    Self(
      function: function, module: module, file: file, line: line, library: library,
      offset: offset, isInlined: isInlined, isCertain: false)
  }
}

extension Unwinder {
  fileprivate func unnamed(_ frame: Frame) -> StackTrace.Frame {
    let address = frame.inside
    let image = image(of: address)
    let path = image.flatMap { $0.path.isEmpty ? nil : $0.path }
    return StackTrace.Frame(
      function: nil, module: nil, file: nil, line: nil, library: path,
      offset: address &- (image?.base ?? 0))
  }
}
