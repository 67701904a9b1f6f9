import Testing

@testable import Spool

@Suite("What is in the spool")
struct KindsOfFileTests {
  @Test("is taken in if find -type f finds it, and else passed over")
  func asFindDoes() throws {
    let scratch = Scratch()
    try Shell.run(
      """
      mkdir -p "$1"; cd "$1"; mkdir -p deep/er/est empty; : >none
      echo x >deep/er/est/file; ln none hard; ln -s none soft; ln -s nowhere broken; ln -s deep linked; mkfifo pipe; echo y >.hidden
      """, [scratch["spool"]])

    let summary = try Trial.run(in: scratch)

    #expect(summary.read == Amount(files: 4, bytes: 4))
    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("is a link where there is one, also where only its status tells")
  func linkIsALink() throws {
    let scratch = Scratch()
    try Shell.run("mkdir \"$1\"; cd \"$1\"; : >file; ln -s file link", [scratch["spool"]])
    let spool = try SpoolDirectory(scratch["spool"])

    #expect(try spool.descriptor.status(of: "file").isRegularFile)
    #expect(try !spool.descriptor.status(of: "link").isRegularFile)
  }

  @Test("is not the manifest itself, under whatever name it lies there")
  func notTheManifest() throws {
    let scratch = Scratch()
    try scratch.write("spool/dir/a", "a")
    try Shell.run("ln -s spool/dir \"$1\"", [scratch["link"]])

    for _ in 1...2 {
      _ = try Trial(in: scratch, manifest: "link/manifest").finish()
      try scratch.append("spool/dir/a", "more")
    }
    _ = try Trial(in: scratch, manifest: "spool/dir/manifest").finish()

    #expect(
      try scratch.sortedLines("spool/dir/manifest")
        == scratch.expectedLines().filter { !$0.contains("manifest") })
    #expect(try scratch.sortedLines("spool/dir/manifest").count == 1)
  }

  @Test("may be nothing at all")
  func nothing() throws {
    let scratch = Scratch()
    try scratch.makeDirectory("spool")

    #expect(try Trial.run(in: scratch).read == Amount())

    #expect(try scratch.read("manifest") == [])
  }

  @Test("may be a directory with more entries than are looked at in one go, and large files")
  func many() throws {
    let scratch = Scratch()
    try Shell.run(
      """
      mkdir -p "$1/many"; cd "$1/many"; touch $(seq 1500); cd ..
      for size in 262143 262144 262145 1000000; do head -c $size /dev/urandom >$size; done
      """, [scratch["spool"]])

    #expect(try Trial.run(in: scratch).read.files == 1504)

    #expect(try scratch.sortedLines("manifest") == scratch.expectedLines())
  }

  @Test("is told where a path is longer than the system takes")
  func tooDeep() throws {
    let scratch = Scratch()
    try Shell.run(
      """
      mkdir -p "$1"; cd "$1"; name=$(printf 'x%.0s' {1..200})
      for n in {1..25}; do mkdir $name; cd $name; done
      """,
      [scratch["spool"]])
    try scratch.write("spool/a", "a")
    let trial = try Trial(in: scratch)

    #expect(try trial.finish().failed == 1)

    #expect(trial.told.map(\.description).allSatisfy { $0.hasSuffix("File name too long") })
    #expect(try scratch.sortedLines("manifest").count == 1)
  }
}
