/// The same work for UVDispatch and for its peers.
struct Case {
  let name: String
  let producers: Int
  /// UVDispatch first.
  let subjects: [Subject]

  var title: String { "\(name), \(producers) producer\(producers == 1 ? "" : "s")" }

  static let all = [1, 4].flatMap { producers in
    [
      Case(
        name: "foreground", producers: producers,
        subjects: [.uvForeground, .nioLoop, .dispatchSerial]),
      Case(
        name: "background width 1", producers: producers,
        subjects: [.uvBackground(width: 1), .nioThreadPool(width: 1), .dispatchSerial]),
      Case(
        name: "background width 3", producers: producers,
        subjects: [.uvBackground(width: 3), .nioThreadPool(width: 3), .dispatchConcurrent]),
    ]
  }

  func measure(_ options: Benchmarks) -> [String] {
    var samples = [[Double]](repeating: [], count: subjects.count)
    for _ in 0..<options.repetitions {
      for (index, subject) in subjects.enumerated() {
        samples[index].append(
          nanosecondsPerTask(
            subject, producers: producers, window: options.window, tasks: options.tasks))
      }
    }
    let medians = samples.map { $0.sorted()[$0.count / 2] }
    return subjects.indices.map { index in
      let ratio = index == 0 ? "" : ", x\((medians[index] / medians[0] * 10).rounded() / 10)"
      return
        "\(subjects[index].name): \(whole(medians[index])) ns "
        + "(\(whole(samples[index].min()!)) to \(whole(samples[index].max()!)))\(ratio)"
    }
  }

  private func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }
}
