/// The stack of a thread at one moment: the functions that it was in.
public struct StackTrace: Sendable, Hashable {
  /// A function that the thread was in.
  public struct Frame: Sendable, Hashable {
    /// Its name. Nil if the program or the library has no symbols, was loaded after the watch had begun, or if its file
    /// was replaced since.
    public let function: String?
    /// The Swift module that it belongs to. Nil if it is no function of Swift.
    public let module: String?
    /// The file of the source and the line in it: where functions are inlined in this one, the line may be one of theirs.
    /// Nil if the program or the library has no debug information.
    public let file: String?
    public let line: Int?
    /// The path of the library. Nil for the program itself, and for memory that no file is loaded as.
    public let library: String?
    /// Where it is, counted as in the file of the program or the library: `addr2line` and `llvm-symbolizer` take it.
    public let offset: UInt64
    /// Whether the compiler has put the function into the one below.
    public let isInlined: Bool
    /// Whether this frame is certain. A thread that waits in the kernel does not tell all of its registers; what needs
    /// one of the others is likely only.
    public let isCertain: Bool

    public init(
      function: String?, module: String?, file: String?, line: Int?, library: String?,
      offset: UInt64, isInlined: Bool = false, isCertain: Bool = true
    ) {
      self.function = function
      self.module = module
      self.file = file
      self.line = line
      self.library = library
      self.offset = offset
      self.isInlined = isInlined
      self.isCertain = isCertain
    }
  }

  /// Why there are no frames.
  public enum Absence: Sendable, Hashable {
    /// The body had ended by then.
    case ended
    /// The thread blocks the signal, as those of Swift's Tasks do, or had no time on a processor for a tenth of a second.
    case silent
    /// Other code has installed a handler for the signal.
    case replaced
    /// The system hides `/proc/self/mem` or `/proc/self/task`, as it does from a process that has changed its user; or it
    /// has no descriptors left.
    case hidden
    /// The thread went from one wait to the next whenever it was looked at.
    case restless
    /// The machine has no x86-64 processor.
    case unsupported
  }

  /// The innermost first, 64 functions at most and what is inlined in them. Empty if there is an ``absence``.
  public let frames: [Frame]
  public let absence: Absence?

  public init(frames: [Frame]) {
    self.frames = frames
    absence = nil
  }

  public init(absence: Absence) {
    frames = []
    self.absence = absence
  }

  /// Where the program's own code stands: the innermost function whose source is known and that belongs neither to this
  /// package nor to Swift's libraries.
  public var place: Frame? {
    frames.first { frame in
      frame.file != nil && !(frame.module.map(Self.modulesOfLibraries.contains) ?? false)
    }
  }

  private static let modulesOfLibraries: Set = [
    "Swift", "_Concurrency", "Synchronization", "TaskDispatch", "UVDispatch",
  ]
}

extension StackTrace: CustomStringConvertible {
  /// A line for each frame.
  public var description: String {
    if let absence { return "no stack: \(absence)" }
    return frames.enumerated().map { "\($0.offset)  \($0.element)" }.joined(separator: "\n")
  }
}

extension StackTrace.Frame: CustomStringConvertible {
  /// One line: `resize(_:) at Thumbnail.swift:33 in libthumbnails.so`.
  public var description: String {
    let name = function ?? "0x" + String(offset, radix: 16)
    let source = sourceText.map { " at \($0)" } ?? ""
    let image = library.map { " in \(Self.lastName(of: $0))" } ?? ""
    let notes = [isInlined ? "inlined" : nil, isCertain ? nil : "likely"].compactMap(\.self)
    let note = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    return name + source + image + note
  }

  /// The file and the line: `Thumbnail.swift:33`.
  var sourceText: String? {
    file.map { file in Self.lastName(of: file) + (line.map { ":\($0)" } ?? "") }
  }

  private static func lastName(of path: String) -> Substring {
    path.split(separator: "/").last ?? Substring(path)
  }
}

extension StackTrace.Absence: CustomStringConvertible {
  public var description: String {
    switch self {
    case .ended: "the body had ended"
    case .silent: "the thread did not answer the signal; it may block it"
    case .replaced: "other code has installed a handler for the signal; configure another one"
    case .hidden: "the system hides /proc/self/mem or /proc/self/task from the process"
    case .restless: "the thread went on whenever it was looked at"
    case .unsupported: "stacks are taken on x86-64 only"
    }
  }
}
