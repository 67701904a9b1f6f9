import Foundation
import Measuring
import Testing

@Suite("Gates")
struct GateTests {
  private let gates = Gates(gates: [
    Gate(name: "mallocs", bound: 1, measured: 1, advice: "look at dhat"),
    Gate(name: "wakes", bound: 3, measured: 2, demanded: 1, advice: "look at awake"),
  ])

  @Test("let counts up to their bounds pass")
  func pass() {
    #expect(gates.breaches(by: ["mallocs": 1, "wakes": 3]).isEmpty)
    #expect(gates.breaches(by: ["mallocs": 0, "wakes": 0]).isEmpty)
  }

  @Test("say what is broken, by how much, and what to do")
  func breach() throws {
    let breach = try #require(gates.breaches(by: ["mallocs": 2.5, "wakes": 3]).first)

    #expect(
      breach.description
        == "mallocs: 2.5, which is 1.5 more than the 1 allowed (1 when the bound was set); "
        + "look at dhat")
  }

  @Test("are broken by what was not counted")
  func missing() {
    let breaches = gates.breaches(by: ["mallocs": 1])

    #expect(breaches.map(\.description) == ["wakes: was not counted; the bound is 3"])
  }

  @Test("know which counts they do not hold")
  func unheld() {
    #expect(gates.unheld(["mallocs": 1, "leases": 2, "awake": 3]) == ["awake", "leases"])
  }

  @Test("show each count beside its bound")
  func table() {
    let lines = gates.table(["mallocs": 2])

    #expect(lines[1].hasPrefix("mallocs"))
    #expect(lines[1].hasSuffix("NO"))
    #expect(lines[2].contains("-"))
  }

  @Test("are what stands in the file of this package, and none stands there twice")
  func file() throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    let gates = try Gates(contentsOf: package.appendingPathComponent("gates.json")).gates

    #expect(!gates.isEmpty)
    #expect(Set(gates.map(\.name)).count == gates.count)
    #expect(gates.allSatisfy { $0.measured <= $0.bound && !$0.advice.isEmpty })
    #expect(gates.allSatisfy { ($0.demanded ?? 0) < $0.bound || $0.bound == 0 })
  }
}
