import Testing

@testable import Spool

@Suite("A request as JSON")
struct FlatObjectTests {
  private static func read(_ text: String) -> FlatObject? {
    try? FlatObject(Array(text.utf8)[...])
  }

  @Test(
    "is an object of plain values",
    arguments: [
      ("{}", [:]), (" {\t} \r", [:]), (#"{"a":"b"}"#, ["a": .string("b")]),
      (
        #"{"a":1,"b":-0.5e+7,"c":0}"#,
        ["a": .number("1"), "b": .number("-0.5e+7"), "c": .number("0")]
      ),
      (#"{"a":true,"b":false,"c":null}"#, ["a": .bool(true), "b": .bool(false), "c": .null]),
      (#"{"":"\"\\\/\b\f\n\r\t"}"#, ["": .string("\"\\/\u{8}\u{c}\n\r\t")]),
      (#"{"\u0041":"\u00e9\ud83d\ude00é"}"#, ["A": .string("é😀é")]),
    ] as [(String, [String: FlatObject.Value])])
  func isRead(text: String, members: [String: FlatObject.Value]) {
    #expect(Self.read(text)?.members == members)
  }

  @Test(
    "is nothing that JSON does not allow, and nothing deeper",
    arguments: [
      "", "null", "[]", "{", "}", "{}}", "{} x", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{,}",
      #"{a:1}"#,
      #"{'a':1}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":+1}"#, #"{"a":1e}"#,
      #"{"a":0x1}"#,
      #"{"a":tru}"#, #"{"a":True}"#, #"{"a":NaN}"#, #"{"a":[]}"#, #"{"a":{}}"#, #"{"a":"b}"#,
      #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\ud800"}"#, #"{"a":"\udc00"}"#,
      #"{"a":"\ud800\ud800"}"#, #"{"a":"\ud800\n"}"#, "{\"a\":\"\u{1}\"}", #"{"a":1 "b":2}"#,
      #"{"a":1,"a":2}"#,
      #"{"a":truefalse}"#, "\u{feff}{}",
    ])
  func isRefused(text: String) {
    #expect(Self.read(text) == nil)
  }

  @Test("is no text that is not UTF-8")
  func refusesOtherBytes() {
    let line = Array(#"{"a":""#.utf8) + [0xFF] + #""}"#.utf8
    #expect(throws: FlatObject.Refusal(column: 6, reason: "this string is not UTF-8")) {
      try FlatObject(line[...])
    }
  }

  @Test(
    "is refused with the place, counted from 1, and what stands there",
    arguments: [
      ("x", 1, "found 'x' where '{' is expected"),
      ("{\"a\" 1}", 6, "found '1' where ':' is expected"),
      ("{\"a\":\"", 7, "found the end of the line where '\"' is expected"),
      ("{\"a\":1}\u{0}", 8, "found byte 0 where the end of the line is expected"),
    ])
  func saysWhere(text: String, column: Int, reason: String) {
    #expect(throws: FlatObject.Refusal(column: column, reason: reason)) {
      try FlatObject(Array(text.utf8)[...])
    }
  }

  @Test("has a reply that any reader of JSON reads as it was meant")
  func repliesAreJSON() throws {
    let scratch = Scratch()
    let value = JSON.object([
      .init("all", .string(Array(0...255))), .init("wide", "é😀\u{2028}"), .init("no", .null),
      .init("list", .array([1, -2, true, "", .array([])])),
    ])
    try scratch.write("json", value.text)
    try Shell.run(
      """
      python3 -c 'import json, sys
      value = json.loads(open(sys.argv[1], "rb").read().decode("ascii"))
      text = bytes(range(256)).decode("utf8", "replace")
      assert value["all"][:128] == text[:128], value
      assert value["wide"] == "\\u00e9\\U0001f600\\u2028" and value["no"] is None
      assert value["list"] == [1, -2, True, "", []]' "$1"
      """, [scratch["json"]])
  }
}
