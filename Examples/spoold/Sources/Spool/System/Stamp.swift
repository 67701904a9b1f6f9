internal import Glibc

/// What the system says of a file without reading it.
///
/// Two equal stamps of one path mean that it is the same file, and that no program has written to it in
/// between. Every write sets the time of change, which no program can set back; see ``Settling`` for
/// how finely it counts.
struct Stamp: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  let modified: Instant
  let changed: Instant

  /// A time of the file system. Not in nanoseconds alone: those of the year 9999 do not fit.
  struct Instant: Hashable, Sendable {
    let seconds: Int64
    let nanoseconds: Int64
  }

  /// Which file it is, whatever it contains.
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  var identity: Identity { Identity(device: device, inode: inode) }
}

extension Stamp {
  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Instant(status.st_mtim)
    changed = Instant(status.st_ctim)
  }
}

extension Stamp.Instant {
  init(_ time: timespec) {
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }
}

extension stat {
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
}
