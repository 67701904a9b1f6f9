/// A number that tells two orders apart. It has 64 bits: among some billion orders, two may get the same number.
struct OrderDigest: Hashable, Sendable {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(_ number: UInt64) {
    value = SplitMix64.mixed((value ^ number) &* 0x9FB2_1C65_1E98_DF25)
  }
}
