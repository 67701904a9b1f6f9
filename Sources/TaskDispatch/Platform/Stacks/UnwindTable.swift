/// How to get from one frame of a stack to the frame of its caller, at one address of code.
///
/// It comes from the tables that a compiler writes for exceptions (`.eh_frame`), which every image has.
struct UnwindTable {
  /// Where the caller's value of a register is.
  enum Rule {
    /// In the register still.
    case same
    case unknown
    /// In memory, this far from the frame's address.
    case saved(at: Int64)
    /// It is the frame's address and this.
    case value(Int64)
    case register(Int)
    /// In memory, where an expression says.
    case savedAt(Expression)
    case result(Expression)
  }

  /// Instructions of a small machine with a stack of numbers.
  struct Expression {
    let start: UInt64
    let end: UInt64
  }

  /// What the address of a frame is counted from: the stack pointer before the call.
  enum FrameAddress {
    case register(Int, offset: Int64)
    case expression(Expression)
  }

  private(set) var frameAddress = FrameAddress.register(7, offset: 8)
  private(set) var rules = [Rule](repeating: .same, count: StackSample.registerCount)
  /// Whether the kernel has made the frame, to run the handler of a signal. Then its caller is at an instruction that
  /// has not run, and not after a call.
  private(set) var isOfSignal = false
  /// Where the function begins.
  let function: UInt64

  /// The table at an address of code. Nil if there is none, or if it has what this does not know.
  init?(at address: UInt64, in image: LoadedImage) {
    guard let table = try? Self(finding: address, in: image) else { return nil }
    self = table
  }

  private init(finding address: UInt64, in image: LoadedImage) throws(TableReader.Malformed) {
    var entry = TableReader(image.tables, at: try Self.entry(for: address, in: image))
    let end = try entry.length()
    let common = try Common(at: entry.at &- UInt64(entry.read(UInt32.self)), in: image.tables)
    let start = try entry.pointer(common.pointers)
    // The length has the form of the start, and is counted from nothing.
    let length = try entry.pointer(common.pointers & 0x0f)
    guard address &- start < length else { throw .init() }
    function = start
    isOfSignal = common.isOfSignal
    if common.hasData { try entry.skip(entry.unsigned()) }
    var program = Program(common: common, address: address, location: start)
    try program.run(common.instructions, until: common.end, on: &self)
    program.initial = rules
    try program.run(entry, until: end, on: &self)
  }

  /// Looks the entry of a function up in the index: pairs of an address of code and that of its entry, in order.
  static func entry(
    for address: UInt64, in image: LoadedImage
  ) throws(TableReader.Malformed) -> UInt64 {
    var index = TableReader(image.tables, at: image.index, dataStart: image.index)
    let version = try index.read(UInt8.self)
    let (ofTables, ofCount) = (try index.read(UInt8.self), try index.read(UInt8.self))
    // Four bytes, counted from the index: all linkers write that.
    guard version == 1, try index.read(UInt8.self) == 0x3b else { throw .init() }
    _ = try index.pointer(ofTables)
    var (low, high) = (UInt64(0), try index.pointer(ofCount))
    func pair(_ number: UInt64, _ part: UInt64) throws(TableReader.Malformed) -> UInt64 {
      let at = index.at &+ number &* 8 &+ part &* 4
      guard let offset = image.tables.load(Int32.self, at: at) else { throw .init() }
      return image.index &+ UInt64(bitPattern: Int64(offset))
    }
    while low < high {
      let middle = low + (high - low) / 2
      if try pair(middle, 0) <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { throw .init() }
    return try pair(low - 1, 1)
  }
}

extension UnwindTable {
  /// What the entries of several functions have in common.
  fileprivate struct Common {
    /// The form of addresses in the entries.
    private(set) var pointers: UInt8 = 0
    private(set) var isOfSignal = false
    /// Whether entries have data of the language, with its length first.
    let hasData: Bool
    let codeFactor: UInt64
    let dataFactor: Int64
    /// The instructions that hold at the beginning of each function.
    let instructions: TableReader
    let end: UInt64

    init(at address: UInt64, in tables: LoadedBytes) throws(TableReader.Malformed) {
      var reader = TableReader(tables, at: address)
      end = try reader.length()
      // Its number, and its version.
      try reader.skip(5)
      var letters: [UInt8] = []
      while case let letter = try reader.read(UInt8.self), letter != 0 { letters.append(letter) }
      codeFactor = try reader.unsigned()
      dataFactor = try reader.signed()
      // The register of the return address: always the same here.
      _ = try reader.unsigned()
      hasData = letters.first == UInt8(ascii: "z")
      if hasData {
        let next = try reader.unsigned() &+ reader.at
        for letter in letters.dropFirst() {
          switch letter {
          case UInt8(ascii: "R"): pointers = try reader.read(UInt8.self)
          case UInt8(ascii: "L"): try reader.skip(1)
          case UInt8(ascii: "P"): _ = try reader.pointer(reader.read(UInt8.self))
          case UInt8(ascii: "S"): isOfSignal = true
          default: break
          }
        }
        reader.at = next
      }
      instructions = reader
    }
  }

  /// Instructions that change the table from one address of the function to the next.
  fileprivate struct Program {
    let common: Common
    let address: UInt64
    var location: UInt64
    var initial: [Rule] = []
    private var remembered: [(FrameAddress, [Rule])] = []

    init(common: Common, address: UInt64, location: UInt64) {
      self.common = common
      self.address = address
      self.location = location
    }

    /// Runs the instructions up to those for the addresses behind ``address``.
    mutating func run(
      _ instructions: TableReader, until end: UInt64, on table: inout UnwindTable
    ) throws(TableReader.Malformed) {
      var reader = instructions
      while reader.at < end, location <= address {
        let code = try reader.read(UInt8.self)
        let low = UInt64(code & 0x3f)
        switch code >> 6 {
        case 1: advance(low)
        case 2: table.set(low, .saved(at: try offset(&reader)))
        case 3: restore(low, on: &table)
        default: try runLong(code, &reader, on: &table)
        }
      }
    }

    private mutating func runLong(
      _ code: UInt8, _ reader: inout TableReader, on table: inout UnwindTable
    ) throws(TableReader.Malformed) {
      switch code {
      case 0x00: break
      case 0x01: location = try reader.pointer(common.pointers)
      case 0x02: advance(UInt64(try reader.read(UInt8.self)))
      case 0x03: advance(UInt64(try reader.read(UInt16.self)))
      case 0x04: advance(UInt64(try reader.read(UInt32.self)))
      case 0x05: table.set(try reader.unsigned(), .saved(at: try offset(&reader)))
      case 0x06: restore(try reader.unsigned(), on: &table)
      case 0x07: table.set(try reader.unsigned(), .unknown)
      case 0x08: table.set(try reader.unsigned(), .same)
      case 0x09: table.set(try reader.unsigned(), .register(try register(&reader)))
      case 0x0a: remembered.append((table.frameAddress, table.rules))
      case 0x0b:
        guard let last = remembered.popLast() else { throw .init() }
        (table.frameAddress, table.rules) = last
      case 0x0c:
        let register = try register(&reader)
        table.frameAddress = .register(
          register, offset: Int64(truncatingIfNeeded: try reader.unsigned()))
      case 0x0d: table.frameAddress = .register(try register(&reader), offset: table.offset)
      case 0x0e:
        table.frameAddress = .register(
          table.register, offset: Int64(truncatingIfNeeded: try reader.unsigned()))
      case 0x0f: table.frameAddress = .expression(try reader.expression())
      case 0x10: table.set(try reader.unsigned(), .savedAt(try reader.expression()))
      case 0x11: table.set(try reader.unsigned(), .saved(at: try signedOffset(&reader)))
      case 0x12:
        let register = try register(&reader)
        table.frameAddress = .register(register, offset: try signedOffset(&reader))
      case 0x13:
        table.frameAddress = .register(table.register, offset: try signedOffset(&reader))
      case 0x14: table.set(try reader.unsigned(), .value(try offset(&reader)))
      case 0x15: table.set(try reader.unsigned(), .value(try signedOffset(&reader)))
      case 0x16: table.set(try reader.unsigned(), .result(try reader.expression()))
      // The size of the arguments: of no use here.
      case 0x2e: _ = try reader.unsigned()
      default: throw .init()
      }
    }

    private mutating func advance(_ count: UInt64) {
      location &+= count &* common.codeFactor
    }

    private func restore(_ register: UInt64, on table: inout UnwindTable) {
      guard register < initial.count else { return }
      table.set(register, initial[Int(register)])
    }

    private func offset(_ reader: inout TableReader) throws(TableReader.Malformed) -> Int64 {
      Int64(truncatingIfNeeded: try reader.unsigned()) &* common.dataFactor
    }

    private func signedOffset(_ reader: inout TableReader) throws(TableReader.Malformed) -> Int64 {
      try reader.signed() &* common.dataFactor
    }

    private func register(_ reader: inout TableReader) throws(TableReader.Malformed) -> Int {
      let number = try reader.unsigned()
      guard number < StackSample.registerCount else { throw .init() }
      return Int(number)
    }
  }

  /// A register that is not looked at, such as a vector, has no rule.
  private mutating func set(_ register: UInt64, _ rule: Rule) {
    if register < rules.count { rules[Int(register)] = rule }
  }

  private var register: Int {
    if case .register(let register, _) = frameAddress { register } else { 7 }
  }

  private var offset: Int64 {
    if case .register(_, let offset) = frameAddress { offset } else { 0 }
  }
}
