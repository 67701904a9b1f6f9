import Testing

@testable import Spool

@Suite("What is known of files, beside what the manifest says")
struct CatalogueTests {
  private static func fact(_ path: BytePath, _ digest: UInt8) -> StampLine {
    let time = Stamp.Instant(seconds: 1, nanoseconds: 1)
    let stamp = Stamp(device: 1, inode: 1, size: 1, modified: time, changed: time)
    let bytes = [UInt8](repeating: digest, count: 32)
    return StampLine(digest: Digest(bytes: bytes), stamp: stamp, path: path)
  }

  @Test("has one line to be added for a file that came, went and came again before it was written")
  func addsOnce() {
    var catalogue = Catalogue()
    catalogue.set(Self.fact("a", 1))
    catalogue.remove("a")
    catalogue.set(Self.fact("a", 2))

    let lines = catalogue.takeFresh(10)
    #expect(lines == [Catalogue.Change(path: "a", digest: Self.fact("a", 2).digest)])
    catalogue.noteSaved(lines)
    #expect(catalogue.unsavedCount == 0)
    #expect(catalogue.takeFresh(10) == [])
  }

  @Test("knows that a line is out of date which was written while its file changed or went")
  func changesDuringWrite() {
    var catalogue = Catalogue()
    for name in ["changes", "goes"] as [BytePath] { catalogue.set(Self.fact(name, 1)) }
    let lines = catalogue.takeFresh(10)
    catalogue.set(Self.fact("changes", 2))
    catalogue.remove("goes")
    catalogue.noteSaved(lines)

    #expect(catalogue.staleCount == 2)
    #expect(!catalogue.hasFresh)
    let changes = catalogue.changes()
    #expect(changes.map(\.digest) == [Self.fact("changes", 2).digest, nil])
    catalogue.noteSaved(changes)
    #expect(catalogue.unsavedCount == 0)
    #expect(!catalogue.isStale)
  }

  @Test("forgets directories in which nothing is known any more")
  func forgetsDirectories() {
    var catalogue = Catalogue()
    for name in ["a/b/c/x", "a/b/y", "z"] as [BytePath] { catalogue.set(Self.fact(name, 1)) }
    #expect(Set(catalogue.paths(below: "a")) == ["a/b/c/x", "a/b/y"])
    catalogue.remove("a/b/c/x")
    #expect(catalogue.subdirectories(in: "a/b") == [])
    #expect(catalogue.paths(below: "a") == ["a/b/y"])
    catalogue.remove("a/b/y")
    #expect(catalogue.subdirectories(in: "") == [])
    #expect(catalogue.paths(below: "") == ["z"])
  }
}
