import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("A file system in the spool")
struct MountTests {
  @Test(
    "that is not mounted any more: the kernel ends the watch, and what is there now is looked at")
  func isUnmounted() throws {
    let scratch = Scratch()
    for name in ["a", "mnt/b", "mnt/d/c"] as [BytePath] { try scratch.write("spool/\(name)", "x") }
    let vigil = try Vigil(in: scratch)
    let watches = vigil.keeper.state.withValue { state in
      (1...100).map(Inotify.Watch.init).filter { watch in
        state.tree.path(of: watch).map { $0 == "mnt" || $0.isBelow("mnt") } ?? false
      }
    }
    #expect(watches.count == 2)
    // The kernel's notices of this are not taken in: the end of the watches must reveal it.
    try Shell.run("cd \"$1/mnt\"; rm -r d b; echo y >under", [scratch["spool"]])
    let events = watches.flatMap { watch in
      [IN_UNMOUNT, IN_IGNORED].map { WatchEvent(watch: watch, mask: UInt32($0), name: []) }
    }
    let now = vigil.fake.now
    vigil.fake.foreground.async(label: "unmounted") { [keeper = vigil.keeper] in
      keeper.state.withValue { $0.takeIn(events, at: now) }
      keeper.goOn()
    }
    try vigil.fake.advanceTime(by: .seconds(2))

    #expect(vigil.counts.scans == 1)
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
    #expect(vigil.keeper.state.withValue { $0.tree.watchCount } == 2)
    #expect(try vigil.end().isEmpty)
  }

  /// Whether a process may mount something, in a namespace of its own.
  private static let mayMount =
    (try? Shell.status("unshare -rm mount -t tmpfs none /mnt", errors: "/dev/null")) == 0

  @Test(
    "is kept while it is mounted, and what it covers otherwise",
    .enabled(if: mayMount, "this process may not mount anything, not even by unshare -rm"))
  func isMounted() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      poll() { for _ in {1..1000}; do if eval "$1"; then return; fi; read -rt 0.02 <> <(:); done; return 1; }
      names() { poll "[ \\"\\$(cut -c 67- m 2>/dev/null | sort | xargs)\\" = '$1' ]" || { cat m >&2; exit $2; }; }
      export -f poll names
      exec unshare -rm bash -c '
        mkdir -p spool/mnt other; echo u >spool/mnt/under; echo o >other/bound
        "$0" --spool spool --manifest m & pid=$!; names mnt/under 90
        mount -t tmpfs none spool/mnt || exit 80
        mkdir spool/mnt/d; echo a >spool/mnt/d/a; echo b >spool/mnt/b
        kill -HUP $pid; names "mnt/b mnt/d/a" 91
        poll "umount spool/mnt" || exit 81
        names mnt/under 92
        # Of this the kernel says nothing, neither when it begins nor when it ends.
        mount --bind other spool/mnt && kill -HUP $pid; names mnt/bound 93
        umount spool/mnt && kill -HUP $pid; names mnt/under 94
        mount --bind other spool && kill -HUP $pid; wait $pid' "$0"
      """, in: scratch)

    #expect(run.status == 2)
    #expect(
      run.complaints == [
        "spoold: the path of the spool leads to another directory now; start again to keep that one"
      ])
  }
}
