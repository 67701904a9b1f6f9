import Foundation

/// What the kernel says about this process.
enum ThisProcess {
  /// How many descriptors are open.
  static var descriptors: Int {
    // One of them is the directory that is being read.
    entries(of: "/proc/self/fd").count
  }

  /// What each open descriptor is of, by its number: a path, or a name such as `anon_inode:[eventfd]`.
  static var descriptorTargets: [String: String] {
    var targets: [String: String] = [:]
    for number in entries(of: "/proc/self/fd") {
      let path = "/proc/self/fd/\(number)"
      targets[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }
    return targets
  }

  static var threads: Int { entries(of: "/proc/self/task").count }

  static var threadIDs: Set<String> { Set(entries(of: "/proc/self/task")) }

  /// Whether every thread sleeps, apart from the calling one and `others`.
  static func isAsleep(apartFrom others: Set<String>) -> Bool {
    let me = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      .split(separator: "/").last.map(String.init)
    return threadIDs.subtracting(others).allSatisfy { thread in
      let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
      return thread == me || text?.contains("State:\tS") != false
    }
  }

  /// How often the kernel has switched each thread, apart from the calling one.
  static var contextSwitchesOfOthers: [String: Int] {
    let me = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      .split(separator: "/").last.map(String.init)
    var switches: [String: Int] = [:]
    for thread in threadIDs where thread != me {
      guard
        let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
      else { continue }
      switches[thread] = text.split(separator: "\n")
        .filter { $0.contains("voluntary_ctxt_switches") }
        .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }
        .reduce(0, +)
    }
    return switches
  }

  /// How much of its address space is used, in bytes.
  static var addressSpace: UInt {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").first.flatMap { UInt($0) } ?? 0) * 4096
  }

  /// Whether this is built for a sanitizer, which itself needs descriptors, memory and context switches.
  static var isSanitized: Bool {
    unsafe isUnderThreadSanitizer || dlsym(nil, "__asan_init") != nil
  }

  static var isUnderThreadSanitizer: Bool { unsafe dlsym(nil, "__tsan_init") != nil }

  private static func entries(of directory: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  }
}
