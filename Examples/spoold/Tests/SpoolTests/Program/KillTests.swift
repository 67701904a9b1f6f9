import Glibc
import Testing

@testable import Spool

@Suite("The program, killed")
struct KillTests {
  @Test("twenty times at random, leaves whole and correct lines, and in the end all of them")
  func killedAtRandom() throws {
    let seed = UInt64.random(in: 0...(.max))
    print("the kills have the seed \(seed)")
    var dice = Dice(seed: seed)
    let scratch = Scratch()
    try Shell.run(
      """
      mkdir -p "$1"/{1..20}; cd "$1"
      for d in *; do for n in {1..40}; do head -c $((n * n * 37)) /dev/urandom >$d/$n; done; done
      """, [scratch["spool"]])
    let expected = try scratch.expectedLines()
    let command: [BytePath] = [
      try Program.path, "--once", "--spool", scratch["spool"], "--manifest", scratch["manifest"],
    ]
    let clock = ContinuousClock()
    let began = clock.now
    #expect(try Shell.wait(for: Shell.start(command, out: "/dev/null")) == 0)
    let undisturbed = began.duration(to: clock.now)
    let whole = try scratch.read("manifest").count
    try Shell.run("rm \"$1\"*", [scratch["manifest"]])
    var sizes: [Int] = []

    for round in 1...20 {
      let process = try Shell.start(command, out: "/dev/null", errors: scratch["errors"])
      if round.isMultiple(of: 2) {
        // At a moment between the start and about the end of an undisturbed run.
        usleep(UInt32.random(in: 0...UInt32(undisturbed / .microseconds(1)), using: &dice))
      } else {
        // At some length of the manifest, as soon as the test sees it.
        let length = Int.random(in: 0...whole, using: &dice)
        while Self.length(of: scratch["manifest"]) < length, try !Shell.hasEnded(process) {}
      }
      kill(process, SIGKILL)
      let status = try Shell.wait(for: process)

      #expect(status == 128 + SIGKILL || status == 0)
      #expect(try scratch.read("errors") == [])
      guard scratch.exists("manifest") else { continue }
      let bytes = try scratch.read("manifest")
      #expect(bytes.isEmpty || bytes.last == UInt8(ascii: "\n"), "seed \(seed)")
      let lines = try scratch.sortedLines("manifest")
      #expect(Set(lines).isSubset(of: expected), "seed \(seed)")
      #expect(Set(lines).count == lines.count, "seed \(seed)")
      sizes.append(lines.count)
      // Sometimes the run had finished; then its result is removed, so that the next run has something
      // to do.
      if lines.count == expected.count { try Shell.run("rm \"$1\"*", [scratch["manifest"]]) }
    }

    #expect(try Shell.wait(for: Shell.start(command, out: "/dev/null")) == 0)
    #expect(try scratch.sortedLines("manifest") == expected, "seed \(seed)")
    #expect(sizes.contains { 0 < $0 && $0 < expected.count }, "no kill came in time: \(sizes)")
  }

  private static func length(of path: BytePath) -> Int {
    var status = stat()
    return unsafe path.withCString { unsafe stat($0, &status) } == 0 ? Int(status.st_size) : 0
  }
}
