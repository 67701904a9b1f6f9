import CPeers

/// How many rounds of work take how long, measured once a process.
enum Burn {
  static let roundsPerMicrosecond: Double = {
    let rounds = 2_000_000
    let costs = (0..<7).map { _ in timed { _ = cpeers_burn(rounds) } }
    return Double(rounds) / costs.min()! * 1_000
  }()

  static func rounds(microseconds: Double) -> Int {
    Int((roundsPerMicrosecond * microseconds).rounded())
  }
}
