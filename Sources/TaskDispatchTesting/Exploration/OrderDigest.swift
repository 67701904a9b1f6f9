/// A number that tells two orders apart. It has 64 bits: among some billion orders, two may get the same number.
struct OrderDigest: Hashable, Sendable {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(_ number: UInt64) {
    value = Dice.mixed((value ^ number) &* 0x9FB2_1C65_1E98_DF25)
  }
}

/// Random numbers that are the same for the same seed on every machine.
struct Dice: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
