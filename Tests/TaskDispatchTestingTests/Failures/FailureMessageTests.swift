import Testing

@Suite("The page of failure messages")
struct FailureMessageTests {
  static let made =
    FailureMessage.ofSteps + FailureMessage.ofFinish + FailureMessage.ofWaiting
    + FailureMessage.ofRefusals

  @Test("shows each message as a reader sees it", arguments: made)
  func showsTheMessage(message: FailureMessage) throws {
    let text = try message.make()

    try FailureMessage.expectPage(shows: text, under: message.heading)
  }

  @Test("shows no message that no test has made")
  func showsNothingElse() throws {
    let shown = try Page(FailureMessage.page).blocks(of: "text").map(\.heading)

    let all = Self.made.map(\.heading) + FailureMessageTrapTests.headings
    #expect(shown.sorted() == all.sorted())
  }

  @Test("says after each message what to do next")
  func saysWhatToDo() throws {
    let sections = try PackageFile.text(FailureMessage.page).split(separator: "\n### ").dropFirst()

    for section in sections {
      #expect(section.contains("\n**Next:** "), "\(section.prefix { $0 != "\n" })")
    }
  }
}
