/// Finds the frames of a stack in a ``StackSample``.
package struct Unwinder: Sendable {
  /// A function that a thread is in.
  package struct Frame: Sendable, Hashable {
    /// Where in the function.
    package let address: UInt64
    /// Whether it has called the function above, and `address` is where it goes on afterwards. Else `address` is the
    /// instruction that comes next.
    package let isReturnAddress: Bool
    /// Whether a register was not known and its value was guessed, here or above. Then this frame is likely and not
    /// certain.
    package let isGuessed: Bool
  }

  package let images: [LoadedImage]

  package init(images: [LoadedImage]) { self.images = images }

  package func image(of address: UInt64) -> LoadedImage? {
    images.first { $0.code.contains(address) }
  }

  /// The frames, the innermost first: at most `limit`. The last one is where the thread began, unless the limit, the end
  /// of the copy, or code without tables comes first. A few microseconds.
  package func frames(of sample: StackSample, limit: Int = 64) -> [Frame] {
    var state = State(sample: sample)
    var frames: [Frame] = []
    while frames.count < limit, let address = state.counter, address != 0 {
      // A function that never returns may end with the call, and then another begins at the return address.
      let inside = state.isAfterCall ? address &- 1 : address
      let image = image(of: inside)
      let table = image.flatMap { UnwindTable(at: inside, in: $0) }
      // The kernel has made the frame for a signal as if its code had called the handler.
      let isOfSignal = table?.isOfSignal ?? false
      frames.append(
        Frame(
          address: address, isReturnAddress: state.isAfterCall && !isOfSignal,
          isGuessed: state.isGuessed))
      guard step(&state, table, in: image) else { break }
    }
    return frames
  }

  /// Goes on to the caller.
  private func step(
    _ state: inout State, _ table: UnwindTable?, in image: LoadedImage?
  ) -> Bool {
    guard let table, let image else { return state.stepWithFramePointer() }
    if case .register(6, _) = table.frameAddress, state.registers[6] == nil {
      state.registers[6] = guess(state, in: table.function)
      state.isGuessed = true
    }
    return state.step(table, in: image)
  }

  /// Where the frame pointer may be that a function has set, if nothing says it.
  ///
  /// What it points to are the frame pointer of the caller and the return address. So it looks for the first pair of an
  /// address further up and one behind a call. A call of just this function is best, otherwise it takes one whose target
  /// cannot be read.
  private func guess(_ state: State, in function: UInt64) -> UInt64? {
    let sample = state.sample
    guard let pointer = state.registers[7] else { return nil }
    let end = sample.address &+ UInt64(sample.bytes.count)
    var at = (pointer &+ 15) & ~15
    var likely: UInt64?
    while let outer = sample.word(at: at), let back = sample.word(at: at &+ 8) {
      if outer > at &+ 8, outer < end, outer & 7 == 0, let image = image(of: back &- 1) {
        switch call(before: back, in: image.code) {
        case .direct(function): return at
        case .indirect: likely = likely ?? at
        default: break
        }
      }
      at &+= 16
    }
    return likely
  }

  private enum Call {
    case direct(UInt64)
    case indirect
  }

  /// The call that ends before an address, if there is one.
  private func call(before address: UInt64, in code: LoadedBytes) -> Call? {
    if code.load(UInt8.self, at: address &- 5) == 0xe8,
      let distance = code.load(Int32.self, at: address &- 4)
    {
      return .direct(address &+ UInt64(bitPattern: Int64(distance)))
    }
    // Two bytes, and none to six of an operand.
    let isIndirect = [2, 3, 4, 6, 7, 8].contains { (length: UInt64) in
      guard code.load(UInt8.self, at: address &- length) == 0xff,
        let operand = code.load(UInt8.self, at: address &- (length - 1))
      else { return false }
      return operand >> 3 & 7 == 2
    }
    return isIndirect ? .indirect : nil
  }
}

extension Unwinder {
  /// The registers as they are in one frame.
  private struct State {
    let sample: StackSample
    var registers: [UInt64?]
    var isAfterCall = false
    var isGuessed = false

    init(sample: StackSample) {
      self.sample = sample
      registers = sample.registers
    }

    var counter: UInt64? { registers[16] }

    /// Goes on to the caller of a function that has no table, if it keeps the frame pointer.
    mutating func stepWithFramePointer() -> Bool {
      guard let frame = registers[6], let back = sample.word(at: frame &+ 8),
        let outer = sample.word(at: frame), outer == 0 || outer > frame
      else { return false }
      registers[7] = frame &+ 16
      registers[6] = outer
      registers[16] = back
      isAfterCall = true
      isGuessed = true
      return true
    }

    mutating func step(_ table: UnwindTable, in image: LoadedImage) -> Bool {
      guard let frame = address(table.frameAddress, in: image) else { return false }
      // A return address that is where it was: the thread began here.
      if case .same = table.rules[16] { return false }
      var caller = registers
      for (register, rule) in table.rules.enumerated() {
        switch rule {
        case .same: break
        case .unknown: caller[register] = nil
        case .saved(let offset):
          caller[register] = sample.word(at: frame &+ UInt64(bitPattern: offset))
        case .value(let offset): caller[register] = frame &+ UInt64(bitPattern: offset)
        case .register(let other): caller[register] = registers[other]
        case .savedAt(let expression):
          caller[register] = evaluate(expression, from: frame, in: image)
            .flatMap { sample.word(at: $0) }
        case .result(let expression):
          caller[register] = evaluate(expression, from: frame, in: image)
        }
      }
      if case .same = table.rules[7] { caller[7] = frame }
      // Only the handler of a signal may run on a stack of its own.
      if !table.isOfSignal, let above = registers[7], let below = caller[7], below <= above {
        return false
      }
      registers = caller
      isAfterCall = !table.isOfSignal
      return true
    }

    private func address(_ rule: UnwindTable.FrameAddress, in image: LoadedImage) -> UInt64? {
      switch rule {
      case .register(let register, let offset):
        registers[register].map { $0 &+ UInt64(bitPattern: offset) }
      case .expression(let expression): evaluate(expression, from: nil, in: image)
      }
    }

    /// Runs an expression. Nil if it needs what is not known.
    private func evaluate(
      _ expression: UnwindTable.Expression, from start: UInt64?, in image: LoadedImage
    ) -> UInt64? {
      var reader = TableReader(image.tables, at: expression.start)
      var stack = start.map { [$0] } ?? []
      do {
        while reader.at < expression.end {
          guard try run(reader.read(UInt8.self), &reader, &stack) else { return nil }
        }
      } catch {
        return nil
      }
      return stack.last
    }

    /// - Returns: Whether the instruction is known, and so is all that it needs.
    private func run(
      _ code: UInt8, _ reader: inout TableReader, _ stack: inout [UInt64]
    ) throws(TableReader.Malformed) -> Bool {
      switch code {
      case 0x08: stack.append(UInt64(try reader.read(UInt8.self)))
      case 0x09: stack.append(UInt64(bitPattern: Int64(try reader.read(Int8.self))))
      case 0x0a: stack.append(UInt64(try reader.read(UInt16.self)))
      case 0x0b: stack.append(UInt64(bitPattern: Int64(try reader.read(Int16.self))))
      case 0x10: stack.append(try reader.unsigned())
      case 0x11: stack.append(UInt64(bitPattern: try reader.signed()))
      case 0x30...0x4f: stack.append(UInt64(code - 0x30))
      case 0x70...0x80:
        guard let value = registers[Int(code - 0x70)] else { return false }
        stack.append(value &+ UInt64(bitPattern: try reader.signed()))
      case 0x06:
        guard let address = stack.popLast(), let word = sample.word(at: address) else {
          return false
        }
        stack.append(word)
      case 0x23:
        guard let value = stack.popLast() else { return false }
        stack.append(value &+ (try reader.unsigned()))
      default:
        guard let right = stack.popLast(), let left = stack.popLast(),
          let result = combine(code, left, right)
        else { return false }
        stack.append(result)
      }
      return true
    }

    private func combine(_ code: UInt8, _ left: UInt64, _ right: UInt64) -> UInt64? {
      switch code {
      case 0x1a: left & right
      case 0x1c: left &- right
      case 0x22: left &+ right
      case 0x24: left << right
      case 0x2a: Int64(bitPattern: left) >= Int64(bitPattern: right) ? 1 : 0
      default: nil
      }
    }
  }
}
