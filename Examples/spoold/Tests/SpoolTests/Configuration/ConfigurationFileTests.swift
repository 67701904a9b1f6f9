import Testing

@testable import Spool

@Suite("The configuration file")
struct ConfigurationFileTests {
  private static func read(
    _ text: String, options: [Setting: String] = [:]
  ) throws(ConfigurationErrors) -> Configuration {
    let file = ConfigurationFile(Array(text.utf8), "conf")
    return try Configuration(options: options, file, "conf")
  }

  private static func complaints(_ text: String, options: [Setting: String] = [:]) -> [String] {
    do throws(ConfigurationErrors) {
      _ = try read("spool = /s\nmanifest = /m\n\(text)", options: options)
      return []
    } catch {
      return error.all.map { String(decoding: $0.message, as: UTF8.self) }
    }
  }

  @Test("says everything that the command line can say")
  func saysEverything() throws {
    let configuration = try Self.read(
      """
      # Where things are.
      spool = /srv/in box
        manifest=/var/lib/m
      status\t= /run/s#1\r
      dump = /var/log/d = e

      drain = 3s
      settle = 250ms
      settle-at-most = 1.5s
      replace-every = 2min
      rescan-every = 1h
      status-idle = 0.1s
      status-clients = 7
      """)

    var expected = Configuration(
      spool: "/srv/in box", manifest: "/var/lib/m", status: "/run/s#1", dump: "/var/log/d = e",
      drain: .seconds(3))
    expected.keeper.settle = .milliseconds(250)
    expected.keeper.settleAtMost = .milliseconds(1_500)
    expected.keeper.replaceEvery = .seconds(120)
    expected.keeper.rescanEvery = .seconds(3_600)
    expected.clients.idle = .milliseconds(100)
    expected.clients.clients = 7
    #expect(configuration == expected)
  }

  @Test("can be printed, and says the same when it is read again")
  func roundTrips() throws {
    let configuration = try Self.read("spool = /s\nmanifest = m\nrescan-every = 90s\nstatus = s")
    let text = configuration.lines.map { String(decoding: $0, as: UTF8.self) }

    #expect(text.contains("rescan-every = 90s"))
    #expect(try Self.read(text.joined(separator: "\n")) == configuration)
  }

  @Test("yields to the command line")
  func yields() throws {
    let configuration = try Self.read(
      "spool = /s\nmanifest = /m\nsettle = 1s\ndrain = 5s",
      options: [.settle: "2s", .spool: "/other"])
    #expect(configuration.spool == "/other")
    #expect(configuration.manifest == "/m")
    #expect(configuration.keeper.settle == .seconds(2))
    #expect(configuration.drain == .seconds(5))
  }

  @Test(
    "is told all that is wrong, with the line, what was found and what is expected",
    arguments: [
      ("settel = 1s", #"conf, line 3: there is no setting "settel"; did you mean settle?"#),
      (
        "rescan_every = 1s",
        #"conf, line 3: there is no setting "rescan_every"; did you mean rescan-every?"#
      ),
      ("Drain = 1s", #"conf, line 3: there is no setting "Drain"; did you mean drain?"#),
      ("\n\nhello", #"conf, line 5: found "hello" where name = value is expected"#),
      (
        "drain =",
        "conf, line 3: drain has no value; expected a number and ms, s, min or h, such as 100ms or 1.5s, from 0s to 1h"
      ),
      ("drain = 1s\ndrain = 2s", "conf, line 4: drain was set in line 3 already"),
      (
        "settle = 100",
        #"conf, line 3: settle is "100"; expected a number and ms, s, min or h, such as 100ms or 1.5s, from 1ms to 1h"#
      ),
      (
        "settle = 0s",
        #"conf, line 3: settle is "0s"; expected a number and ms, s, min or h, such as 100ms or 1.5s, from 1ms to 1h"#
      ),
      (
        "status-clients = many",
        #"conf, line 3: status-clients is "many"; expected a number of clients from 1 to 10000"#
      ),
      (
        "status-clients = 0",
        #"conf, line 3: status-clients is "0"; expected a number of clients from 1 to 10000"#
      ),
      (
        "rescan-every = 0.5s",
        #"conf, line 3: rescan-every is "0.5s"; expected never, or a number and ms, s, min or h, such as 100ms or 1.5s, from 1s to 24h"#
      ),
      ("settle = 9s", "conf, line 3: settle-at-most is 5s, which is shorter than settle, 9s"),
      (
        "\u{1}x = \u{7}",
        #"conf, line 3: there is no setting "\x01x"; there are spool, manifest, status, dump, drain, settle, settle-at-most, replace-every, rescan-every, status-idle, status-clients"#
      ),
    ])
  func isTold(text: String, complaint: String) {
    #expect(Self.complaints(text) == [complaint])
  }

  @Test("is told everything at once, in the order of the lines")
  func isToldAtOnce() {
    let complaints = Self.complaints(
      "drain = x\nwhat\nsettle = y\nfoo = 1", options: [.statusIdle: "z"])
    #expect(
      complaints.map { $0.prefix(13) } == [
        "conf, line 3:", "conf, line 4:", "conf, line 5:", "conf, line 6:", "--status-idle",
      ])
  }

  @Test("must say where the spool and the manifest are, if the command line does not")
  func mustSayWhere() {
    let errors = #expect(throws: ConfigurationErrors.self) { try Self.read("") }
    #expect(
      errors?.description == """
        --spool is missing: a directory, here or in the file of --config
        --manifest is missing: a file, here or in the file of --config
        """)
  }

  @Test("may name paths that are no UTF-8")
  func takesRawNames() throws {
    let bytes = Array("spool = ".utf8) + [0xFF, 0xC3] + "\nmanifest = m".utf8
    let configuration = try Configuration(
      options: [:], ConfigurationFile(bytes, "conf"), "conf")
    #expect(configuration.spool == BytePath([0xFF, 0xC3]))
  }

  @Test("that cannot be read, or is no configuration, is told as a whole")
  func cannotBeRead() throws {
    let scratch = Scratch()
    try scratch.write("large", String(repeating: "# no\n", count: 300_000))
    for (path, reason) in [
      (scratch["none"], "No such file or directory (openat)"),
      (scratch.path, "Is a directory (read)"), (scratch["large"], "File too large (read)"),
    ] {
      let errors = #expect(throws: ConfigurationErrors.self) {
        try Configuration(options: [:], file: path)
      }
      #expect(errors?.description == "\(path): cannot read this file: \(reason)")
    }
  }

  @Test("with more errors than a person reads is told the first of them")
  func isCutShort() {
    let complaints = Self.complaints(String(repeating: "x\n", count: 5_000))
    #expect(complaints.count == 101)
    #expect(complaints.last?.contains("only the first 100 errors are told") == true)
  }
}
