/// What the locks and their cache lines would do on machines with more cores than were at hand.
///
///     swift run -c release --package-path Benchmarks Scaling
@main
struct Scaling {
  static func main() {
    print("millions of bodies a second, how busy the workers are, sleeps for a lock in 1000 bodies")
    for (name, design) in [
      ("as it is", Design()), ("wakes one", Design(wakesOne: true)),
      ("wakes one, takes up to 4", Design(wakesOne: true, takes: 4)),
    ] {
      print("\n\(name)")
      print(pad("cores", 6) + pad("posting", 8) + bodies.map { pad("\($0) us", 22) }.joined())
      for cores in [2, 4, 8, 16, 32, 64] {
        let producers = max(1, cores / 8)
        let cells = bodies.map { body in
          let result = Dispatcher(
            producers: producers, workers: cores - producers, body: body * 1000, design: design
          ).run(for: 4_000_000)
          return pad(cell(result), 22)
        }
        print(pad("\(cores)", 6) + pad("\(producers)", 8) + cells.joined())
      }
    }
    print("\none worker, more and more producers, empty bodies")
    for producers in [1, 2, 4, 8, 16, 32, 63] {
      let results = [Design(), Design(wakesOne: true)].map {
        Dispatcher(producers: producers, workers: 1, body: 0, design: $0).run(for: 4_000_000)
      }
      print(
        pad("\(producers)", 6) + pad("as it is", 12) + pad(cell(results[0]), 22)
          + pad("wakes one", 12) + pad(cell(results[1]), 22))
    }
  }

  private static let bodies = [0.0, 0.5, 1, 2, 5, 20, 100]

  private static func cell(_ result: Dispatcher.Result) -> String {
    "\(rounded(result.rate / 1e6)) M \(Int(result.busy * 100 + 0.5))% \(rounded(result.sleeps))"
  }

  private static func rounded(_ value: Double) -> String {
    "\(Double(Int(value * 100 + 0.5)) / 100)"
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
