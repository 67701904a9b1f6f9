internal import Glibc

/// An open directory, read an entry at a time. Owns one `DIR`.
@safe struct DirectoryStream: ~Copyable {
  enum Kind { case file, directory, other, unknown }

  private let stream: OpaquePointer

  /// Opens `path` below `root`; the root itself if the path is empty. Does not follow a symbolic link.
  init(_ path: BytePath, below root: borrowing Descriptor) throws(SystemError) {
    let isRoot = path.bytes.isEmpty
    let number = try checked("openat") {
      unsafe (isRoot ? BytePath(".") : path).withCString {
        unsafe openat(root.number, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
    }
    guard let opened = unsafe fdopendir(number) else {
      let error = SystemError.last("fdopendir")
      close(number)
      throw error
    }
    unsafe stream = opened
  }

  deinit { unsafe closedir(stream) }

  /// The next entry, without `.` and `..`; nil at the end.
  func next() throws(SystemError) -> (name: [UInt8], kind: Kind)? {
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .last("readdir") }
        return nil
      }
      let name = unsafe Self.name(of: entry)
      if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
      let kind: Kind =
        switch Int(unsafe entry.pointee.d_type) {
        case Int(DT_REG): .file
        case Int(DT_DIR): .directory
        case Int(DT_UNKNOWN): .unknown
        default: .other
        }
      return (name, kind)
    }
  }

  /// Reads through the pointer that the system gave, since the entry in memory may be shorter than a
  /// `dirent`.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
    let start = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: UInt8.self)
    let count = unsafe strlen(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }
}
