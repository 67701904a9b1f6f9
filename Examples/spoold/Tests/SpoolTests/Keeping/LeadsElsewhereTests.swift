import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import Spool

@Suite("When a path leads elsewhere than at the start")
struct LeadsElsewhereTests {
  /// `in` stands in `way`, a symbolic link to `one`, and is itself a link to `spool`.
  private static let links = "mkdir -p one/spool two/spool; ln -s one way; ln -s spool one/in"

  @Test(
    "that of the spool, it ends and says so, whichever link was pointed elsewhere, and however",
    arguments: [
      "ln -sfn two way; ln -s spool two/in", "rm way; ln -s two way; ln -s spool two/in",
      "ln -s spool two/in; ln -s two new; mv -T new way", "ln -sfn ../two/spool one/in",
      "rm one/in; mv two/spool one/in", "mv one/spool other; mkdir one/spool",
      "rmdir one/spool; mv two/spool one/spool", "mv -T two/spool one/spool",
    ])
  func leadsElsewhere(script: String) throws {
    let scratch = Scratch()
    try Shell.run("cd \"$1\"; \(Self.links)", [scratch.path])
    let vigil = try Vigil(in: scratch, spool: "way/in")
    try Shell.run("cd \"$1\"; \(script)", [scratch.path])
    try vigil.hear()

    #expect(vigil.fake.now == .start)
    #expect(vigil.fake.report != nil)
    try #require(vigil.fake.report != nil)
    let stop = vigil.keeper.finish().stop
    #expect(stop == .spoolReplaced)
    #expect(
      stop?.description
        == "the path of the spool leads to another directory now; start again to keep that one")
    try vigil.fake.finish()
  }

  @Test(
    "that of the spool, to nothing at all, the spool is not there any more",
    arguments: ["rm way", "rm one/in", "mv one/in one/on", "mv one/spool other", "ln -sfn no way"])
  func leadsNowhere(script: String) throws {
    let scratch = Scratch()
    try Shell.run("cd \"$1\"; \(Self.links)", [scratch.path])
    let vigil = try Vigil(in: scratch, spool: "way/in")
    try Shell.run("cd \"$1\"; \(script)", [scratch.path])
    try vigil.hear()

    try #require(vigil.fake.report != nil)
    #expect(vigil.keeper.finish().stop == .spoolGone)
    try vigil.fake.finish()
  }

  @Test("that of the spool, and no notice tells, going through everything finds it")
  func isFoundByRescan() throws {
    let scratch = Scratch()
    try Shell.run("cd \"$1\"; \(Self.links)", [scratch.path])
    let vigil = try Vigil(in: scratch, spool: "way/in")
    try Shell.run("cd \"$1\"; ln -sfn two way; ln -s spool two/in", [scratch.path])
    vigil.fake.foreground.async(label: "rescan") { [keeper = vigil.keeper] in keeper.rescan() }
    try vigil.fake.runUntilIdle()

    try #require(vigil.fake.report != nil)
    #expect(vigil.keeper.finish().stop == .spoolReplaced)
    try vigil.fake.finish()
  }

  @Test("by a link that is put in the place of one and leads to the same, it goes on")
  func leadsToTheSame() throws {
    let scratch = Scratch()
    try Shell.run("cd \"$1\"; \(Self.links)", [scratch.path])
    let vigil = try Vigil(in: scratch, spool: "way/in")
    try Shell.run("cd \"$1\"; ln -sfn \"$1/one\" way; echo a >one/spool/a", [scratch.path])
    try vigil.settle()

    #expect(vigil.told == [])
    #expect(vigil.counts.read.files == 1)
    #expect(try vigil.end().isEmpty)
  }

  @Test("that of the manifest, and nothing is to be written, the end says so")
  func manifestIsGoneAtTheEnd() throws {
    let scratch = Scratch()
    try scratch.write("spool/a", "a")
    let vigil = try Vigil(in: scratch)
    try vigil.settle()
    try scratch.remove("manifest")

    let stop = try vigil.end().stop
    #expect(stop == .replaced(scratch["manifest"]))
  }

  @Test(
    "that of the manifest, it ends before it writes another line, and says so",
    arguments: ["ln -sfn two way", "rm one/m", "mv one other", "mv one/m one/n; touch one/m"])
  func manifestLeadsElsewhere(script: String) throws {
    let scratch = Scratch()
    try Shell.run("cd \"$1\"; mkdir one two; ln -s one way", [scratch.path])
    let vigil = try Vigil(in: scratch, manifest: "way/m")
    try Shell.run("cd \"$1\"; \(script)", [scratch.path])
    try scratch.write("spool/a", "a")
    try vigil.settle()

    try #require(vigil.fake.report != nil)
    let stop = vigil.keeper.finish().stop
    #expect(stop == .replaced(scratch["way/m"]))
    #expect(
      stop?.description
        == "the manifest \(scratch["way/m"]) was removed, or its path leads to another file now")
    try vigil.fake.finish()
  }
}
