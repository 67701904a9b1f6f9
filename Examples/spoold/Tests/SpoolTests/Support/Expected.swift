@testable import Spool

extension Scratch {
  /// What `sha256sum` says of all files below `spool`, sorted.
  func expectedLines() throws -> [String] {
    let list = Scratch()
    try Shell.run(
      "cd \"$1\"; find . -type f -printf '%P\\0' | xargs -0 -r sha256sum --", [self["spool"]],
      out: list["list"])
    return try list.sortedLines("list")
  }
}
