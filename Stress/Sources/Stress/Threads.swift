import Glibc
import Oracle

/// A thread of the program's own.
final class OwnThread: @unchecked Sendable {
  private let done = Gate()
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    let start = Start { [done] in
      body()
      done.open()
    }
    let status = pthread_create(
      &thread, nil,
      { context in
        let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
        start.body()
        return nil
      }, Unmanaged.passRetained(start).toOpaque())
    precondition(status == 0, "pthread_create: \(status)")
  }

  /// - Returns: Whether the thread has ended by then. If not, it goes on.
  func join(seconds: Double) -> Bool {
    guard done.wait(seconds: seconds) else { return false }
    pthread_join(thread, nil)
    return true
  }

  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// What the system says of this process.
struct Process: Codable, Sendable {
  var residentBytes = 0
  var descriptors = 0
  var threads = 0

  static var now: Process {
    var process = Process()
    if let file = fopen("/proc/self/statm", "r") {
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      if fgets(&line, 256, file) != nil {
        let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let fields = text.split(separator: " ")
        if fields.count > 1 { process.residentBytes = (Int(fields[1]) ?? 0) * 4096 }
      }
    }
    process.descriptors = openDescriptors
    process.threads = entries("/proc/self/task")
    return process
  }

  /// How many descriptors are open, without the one that this look opens.
  static var openDescriptors: Int { entries("/proc/self/fd") - 1 }

  private static func entries(_ path: String) -> Int {
    guard let directory = opendir(path) else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }
}

// The runtimes of the sanitizers are linked into the program itself.
let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil
let isSanitized = isUnderThreadSanitizer || dlsym(nil, "__asan_init") != nil
