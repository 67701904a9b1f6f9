/// Bytes that look almost like valid input.
struct Mutations {
  var dice: Dice
  /// The texts that a mutant is made of.
  let samples: [[UInt8]]

  init(seed: UInt64, of samples: [String]) {
    dice = Dice(seed: seed)
    self.samples = samples.map { Array($0.utf8) }
  }

  /// A sample with a few bytes changed, removed, doubled, or replaced by a piece of another sample.
  mutating func next() -> [UInt8] {
    var bytes = samples.randomElement(using: &dice)!
    for _ in 0..<Int.random(in: 0...4, using: &dice) {
      let place = Int.random(in: 0...bytes.count, using: &dice)
      let end = min(bytes.count, place + Int.random(in: 0...8, using: &dice))
      switch Int.random(in: 0..<5, using: &dice) {
      case 0 where place < bytes.count: bytes[place] = UInt8.random(in: .min ... .max, using: &dice)
      case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default:
        let other = samples.randomElement(using: &dice)!
        let start = Int.random(in: 0...other.count, using: &dice)
        bytes.replaceSubrange(place..<end, with: other[start...].prefix(8))
      }
    }
    return bytes
  }
}
