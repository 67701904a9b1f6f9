import Testing

@testable import Scaling

@Suite("The simulation of more cores")
struct ScalingTests {
  private func result(
    producers: Int = 1, workers: Int, body: Double, design: Design = Design()
  ) -> Dispatcher.Result {
    Dispatcher(producers: producers, workers: workers, body: body, design: design)
      .run(for: 4_000_000)
  }

  @Test("keeps every worker busy where bodies are long", arguments: [1, 3, 7, 15])
  func longBodies(workers: Int) {
    let result = result(workers: workers, body: 50_000)
    #expect(result.busy > 0.95)
    #expect(abs(result.rate - Double(workers) / 50e-6) < 0.05 * Double(workers) / 50e-6)
  }

  @Test("starts no more bodies than the lock allows, and a worker that takes several starts more")
  func shortBodies() {
    let most = 1e9 / Costs().taking
    let one = result(producers: 2, workers: 14, body: 0)
    let several = result(producers: 2, workers: 14, body: 500, design: Design(takes: 4))
    #expect(one.rate < most)
    #expect(several.rate > 1.3 * result(producers: 2, workers: 14, body: 500).rate)
  }

  @Test("says the same twice")
  func deterministic() {
    let results = (0..<2).map { _ in result(producers: 4, workers: 12, body: 300) }
    #expect(results[0].rate == results[1].rate)
    #expect(results[0].sleeps == results[1].sleeps)
  }
}
