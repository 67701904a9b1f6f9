/// Pseudo-random numbers that depend only on the seed (SplitMix64).
public struct Dice: Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// A number from 0 up to `sides`, which must be positive.
  public mutating func roll(_ sides: Int) -> Int { Int(next() % UInt64(sides)) }

  /// True once in `sides` rolls.
  public mutating func once(in sides: Int) -> Bool { roll(sides) == 0 }

  public static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
