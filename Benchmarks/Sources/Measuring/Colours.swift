extension Contestant {
  /// The colour of a contestant, which every picture shares.
  static func colour(of contestant: String) -> String {
    switch contestant {
    case Contestant.ours: "#1f77b4"
    case _ where contestant.hasPrefix("NIO"): "#ff7f0e"
    case "Dispatch main": "#98df8a"
    case "Dispatch global": "#bcbd22"
    case _ where contestant.hasPrefix("Dispatch"): "#2ca02c"
    case "actor", "Task.detached": "#9467bd"
    case "OperationQueue": "#d62728"
    case "C": "#7f7f7f"
    case _ where contestant.hasPrefix("C "): "#c7c7c7"
    default: "#8c564b"
    }
  }
}
