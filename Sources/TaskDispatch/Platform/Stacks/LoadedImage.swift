internal import CThreads
internal import Glibc

/// The program, or a library that it has loaded, as it lies in memory.
package struct LoadedImage: Sendable {
  /// Its path. Empty for the program itself.
  package let path: String
  /// What the addresses in its file are counted from.
  package let base: UInt64
  /// Its code.
  package let code: LoadedBytes
  /// The part of it that holds the tables for unwinding.
  let tables: LoadedBytes
  /// Where their index begins.
  let index: UInt64

  package init(
    path: String, base: UInt64, code: LoadedBytes, tables: LoadedBytes, index: UInt64
  ) {
    self.path = path
    self.base = base
    self.code = code
    self.tables = tables
    self.index = index
  }

  /// All that is loaded at the moment, and stays loaded from now on. Any thread; it takes the loader's lock, which a
  /// thread holds that loads a library.
  package static func all() -> [LoadedImage] {
    let room = 4096
    let images = UnsafeMutablePointer<cstacks_image>.allocate(capacity: room)
    defer { unsafe images.deallocate() }
    let count = unsafe Int(cstacks_images(images, CInt(room)))
    return unsafe UnsafeBufferPointer(start: images, count: count).map { image in
      defer { unsafe free(image.path) }
      return unsafe LoadedImage(
        path: String(cString: image.path), base: image.base,
        code: LoadedBytes(from: image.text, to: image.text_end),
        tables: LoadedBytes(from: image.tables, to: image.tables_end), index: image.index)
    }
  }
}

/// Memory that stays readable, and does not change.
package struct LoadedBytes: Sendable {
  /// The address that the first byte counts as.
  let address: UInt64
  private let memory: UInt
  private let count: UInt64

  /// What is loaded between two addresses.
  fileprivate init(from start: UInt64, to end: UInt64) {
    address = start
    memory = UInt(start)
    count = end - start
  }

  /// Memory that counts as if it lay at an address. It must stay readable.
  @unsafe package init(_ memory: UnsafeRawBufferPointer, countedFrom address: UInt64) {
    self.address = address
    self.memory = UInt(bitPattern: memory.baseAddress)
    count = UInt64(memory.count)
  }

  var size: Int { Int(count) }

  package func contains(_ address: UInt64) -> Bool { address &- self.address < count }

  /// The number at an address, in the order of bytes of this machine. Nil outside.
  func load<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, at address: UInt64
  ) -> Number? {
    let offset = address &- self.address
    let size = UInt64(MemoryLayout<Number>.size)
    guard count >= size, offset <= count - size else { return nil }
    let pointer = unsafe UnsafeRawPointer(bitPattern: memory + UInt(offset))
    return unsafe pointer?.loadUnaligned(as: type)
  }
}
