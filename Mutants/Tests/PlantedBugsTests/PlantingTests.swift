import Testing

@testable import PlantedBugs

@Suite("Planting bugs in a source file")
struct PlantingTests {
  // Swift Testing has a type of this name as well.
  private typealias Bug = PlantedBugs.Bug

  private func makeBug(_ name: String, _ change: Change) -> Bug {
    Bug(name, breaks: "nothing", in: "A/B.swift", change, suites: [])
  }

  @Test("puts an expression behind the switch of its bug")
  func expression() throws {
    let bug = makeBug("a", .expression("x > 1", becomes: "true"))

    let planted = try Planting.plant([(bug, 7)], in: "if x > 1 { f() }")

    #expect(planted == "if (hasPlantedBug(7) ? (true) : (x > 1)) { f() }")
  }

  @Test("puts statements behind the switch of their bug")
  func statement() throws {
    let bug = makeBug("a", .without("g()"))

    let planted = try Planting.plant([(bug, 7)], in: "f()\ng()\nh()")

    #expect(planted == "f()\nif hasPlantedBug(7) {\n\n} else {\ng()\n}\n\nh()")
  }

  @Test("lets two bugs change one file, whatever their order is")
  func two() throws {
    let last = makeBug("last", .expression("c", becomes: "d"))
    let first = makeBug("first", .expression("a", becomes: "b"))

    let planted = try Planting.plant([(last, 1), (first, 2)], in: "a + c")

    #expect(planted == "(hasPlantedBug(2) ? (b) : (a)) + (hasPlantedBug(1) ? (d) : (c))")
  }

  @Test("lets two bugs change the same text")
  func sameText() throws {
    let less = makeBug("less", .expression("a", becomes: "b"))
    let more = makeBug("more", .expression("a", becomes: "c"))

    let planted = try Planting.plant([(less, 1), (more, 2)], in: "f(a)")

    #expect(planted == "f((hasPlantedBug(1) ? (b) : hasPlantedBug(2) ? (c) : (a)))")
  }

  @Test("finds a text by what stands around it")
  func context() throws {
    let bug = makeBug("a", .expression("1", becomes: "2", within: "g(1)"))

    let planted = try Planting.plant([(bug, 1)], in: "f(1); g(1)")

    #expect(planted == "f(1); g((hasPlantedBug(1) ? (2) : (1)))")
  }

  @Test("fails if the text is not there any more")
  func notFound() {
    let bug = makeBug("a", .without("f()"))

    #expect(throws: Planting.Failure.notFound(bug: "a", text: "f()")) {
      try Planting.plant([(bug, 1)], in: "g()")
    }
  }

  @Test("fails if the text is there twice")
  func foundTwice() {
    let bug = makeBug("a", .without("f()"))

    #expect(throws: Planting.Failure.ambiguous(bug: "a", text: "f()", times: 2)) {
      try Planting.plant([(bug, 1)], in: "f(); f()")
    }
  }

  @Test("fails if what stands around it is not there any more, or twice")
  func contextNotFound() {
    let bug = makeBug("a", .expression("1", becomes: "2", within: "g(1)"))

    #expect(throws: Planting.Failure.notFound(bug: "a", text: "g(1)")) {
      try Planting.plant([(bug, 1)], in: "f(1)")
    }
    #expect(throws: Planting.Failure.ambiguous(bug: "a", text: "g(1)", times: 2)) {
      try Planting.plant([(bug, 1)], in: "g(1) + g(1)")
    }
  }

  @Test("fails if two bugs change texts that overlap")
  func overlapping() {
    let wide = makeBug("wide", .expression("a + b", becomes: "0"))
    let narrow = makeBug("narrow", .expression("b", becomes: "0"))

    #expect(throws: Planting.Failure.overlapping(bug: "narrow", other: "wide")) {
      try Planting.plant([(wide, 1), (narrow, 2)], in: "a + b")
    }
  }

  @Test(
    "fails if a text, or what it becomes, has one of two brackets",
    arguments: ["f {", "g) }", "(]"])
  func cut(text: String) {
    let changed = makeBug("a", .without(text))
    let becomes = makeBug("b", .statement("f()", becomes: text))

    #expect(throws: Planting.Failure.cut(bug: "a", text: text)) {
      try Planting.plant([(changed, 1)], in: text)
    }
    #expect(throws: Planting.Failure.cut(bug: "b", text: text)) {
      try Planting.plant([(becomes, 1)], in: "f()")
    }
  }

  @Test("fails if a statement is deferred: it would run where it stands")
  func deferred() {
    let bug = makeBug("a", .without("defer { f() }"))

    #expect(throws: Planting.Failure.deferred(bug: "a", text: "defer { f() }")) {
      try Planting.plant([(bug, 1)], in: "defer { f() }")
    }
  }

  @Test(
    "fails if a text is a part of an expression or of a name",
    arguments: [("b", "a.b"), ("b()", "a.b()"), (".b", "a.b"), ("ate", "late"), ("lat", "late")])
  func partOfName(text: String, source: String) {
    let bug = makeBug("a", .expression(text, becomes: "c"))

    #expect(throws: Planting.Failure.partOfName(bug: "a", text: text)) {
      try Planting.plant([(bug, 1)], in: source)
    }
  }

  @Test("takes whole names behind operators", arguments: ["a...b", "a..<b", "!b", "(b).c", "b.c"])
  func wholeName(source: String) throws {
    let bug = makeBug("a", .expression("b", becomes: "c"))

    #expect(try Planting.plant([(bug, 1)], in: source) != source)
  }
}
