import Testing

@testable import Spool

@Suite("Text that is not what it should be")
struct TextFuzzTests {
  @Test(
    "as a configuration is taken or refused, with lines that are there",
    arguments: 0..<4 as Range<UInt64>)
  func configuration(seed: UInt64) {
    let good = """
      # comment
      spool = /srv/spool
      manifest = /var/lib/manifest
      drain = 3s
      settle=100ms
      settle-at-most = 2.5s
      rescan-every = never
      status-clients = 12
      status = /run/spoold.sock

      """
    var mutations = Mutations(
      seed: seed, of: [good, "settle = \u{0}\n", "===\n#\n", "drain = 9999h\n"])
    var accepted = 0
    for _ in 0..<2_500 {
      let bytes = mutations.next()
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      do throws(ConfigurationErrors) {
        _ = try Configuration(options: [:], ConfigurationFile(bytes, "conf"), "conf")
        accepted += 1
      } catch {
        #expect(!error.all.isEmpty)
        for one in error.all {
          #expect(one.line == .max || (1...lines).contains(one.line), "seed \(seed): \(bytes)")
          #expect(!one.message.contains { $0 < 0x20 }, "seed \(seed): \(bytes)")
        }
      }
    }
    #expect((10..<2_000).contains(accepted), "it tries too little of one kind: \(accepted)")
  }

  @Test("as a request is taken exactly if Python takes it", arguments: 0..<4 as Range<UInt64>)
  func request(seed: UInt64) throws {
    let scratch = Scratch()
    var mutations = Mutations(
      seed: seed,
      of: [
        #"{"request":"status"}"#, #"{ "a" : -1.5e+10, "b":null,"c":true , "d":false}"#,
        #"{"text":"\u00e9\ud83d\ude00\"\\\/\b"}"#, "{}", #"{"é":"\u0000","x":0}"#,
      ])
    var lines: [[UInt8]] = []
    while lines.count < 2_500 {
      let line = mutations.next()
      if !line.contains(UInt8(ascii: "\n")) { lines.append(line) }
    }
    let verdicts = lines.map { (try? FlatObject($0[...])) != nil }
    try scratch.write("lines", lines.flatMap { $0 + "\n".utf8 })
    try Shell.run(
      """
      python3 - "$1" >"$2" <<'END'
      import json, sys
      def pairs(list):
          assert len(dict(list)) == len(list)
          return dict(list)
      def refuse(_): raise ValueError
      for line in open(sys.argv[1], "rb").read().split(b"\\n")[:-1]:
          try:
              value = json.loads(line.decode("utf8"), object_pairs_hook=pairs, parse_constant=refuse)
              assert isinstance(value, dict)
              for part in [*value.keys(), *value.values()]:
                  assert not isinstance(part, (dict, list))
                  if isinstance(part, str): part.encode("utf8")
              print(1)
          except (ValueError, AssertionError):
              print(0)
      END
      """, [scratch["lines"], scratch["verdicts"]])
    let expected = try scratch.read("verdicts").split(separator: 0x0A).map { $0 == [0x31] }
    #expect(expected.count == lines.count)
    for (line, (mine, theirs)) in zip(lines, zip(verdicts, expected)) where mine != theirs {
      Issue.record("seed \(seed): \(String(decoding: line, as: UTF8.self)): \(mine)")
    }
    #expect(Set(verdicts).count == 2)
  }
}
