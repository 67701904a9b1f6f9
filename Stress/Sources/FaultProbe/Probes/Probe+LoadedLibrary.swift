import Foundation

extension Probe {
  static let loadedLibrary: [Probe] = [
    Probe(
      name: "loaded-library", fault: "a dispatcher lives in a library that was loaded (dlopen)",
      outcome: "it works, twice; the program leaves by exit()"
    ) { _ in
      try becomeHost([])
    },
    Probe(
      name: "closed-library", fault: "a library with a dispatcher is closed (dlclose)",
      outcome: "libuv's threads end; the program leaves by exit()"
    ) { _ in
      try becomeHost(["-c"])
    },
  ]

  /// Replaces this process by `LibraryHost`, which is built beside this program.
  private static func becomeHost(_ options: [String]) throws -> [String] {
    let me = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(fileURLWithPath: me).deletingLastPathComponent()
    let host = folder.appendingPathComponent("LibraryHost").path
    let library = folder.appendingPathComponent("libLoadedDispatcher.so").path
    let arguments = ([host, library] + options).map { strdup($0) } + [nil]
    execv(host, arguments)
    throw Unexpected(description: "\(host) could not be started: errno \(errno)")
  }
}
