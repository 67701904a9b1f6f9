internal import Glibc

/// The kernel's notices of what changes in directories. Owns one inotify instance.
///
/// Any thread may use it. A worker sets watches, because that looks a path up and may wait for the
/// disk.
final class Inotify: Sendable {
  /// A watched directory, by its number.
  struct Watch: Hashable, Sendable {
    let number: Int32
  }

  /// A name in a watched directory.
  struct Place: Hashable, Sendable {
    let watch: Watch
    let name: [UInt8]
  }

  /// Everything after which a file may have to be looked at again. This includes modifications: many
  /// programs keep a file open for as long as they run, and never close what they have written to.
  private static let mask =
    UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM)
    | UInt32(IN_MOVED_TO | IN_EXCL_UNLINK | IN_ONLYDIR | IN_DONT_FOLLOW)

  let descriptor: Descriptor

  /// - Throws: If the user has as many instances as `fs.inotify.max_user_instances` allows, or if the
  ///   process has no descriptor left.
  init() throws(SystemError) {
    descriptor = Descriptor(
      owning: try checked("inotify_init1") {
        inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      })
  }

  /// Watches a directory of the spool; the spool itself if the path is empty. A directory that is
  /// watched already keeps its number, also if its path has changed since.
  ///
  /// - Throws: `ENOSPC` if there are as many watches as `fs.inotify.max_user_watches` allows.
  func watch(_ directory: BytePath, in spool: SpoolDirectory) throws(SystemError) -> Watch {
    // Through the open directory, so that it stays the same one if a program moves it.
    let root = BytePath("/proc/self/fd/\(spool.descriptor.number)")
    let path = root.appending(directory.bytes.isEmpty ? Array(".".utf8) : directory.bytes)
    let number = try checked("inotify_add_watch") {
      unsafe path.withCString {
        unsafe inotify_add_watch(descriptor.number, $0, Self.mask)
      }
    }
    return Watch(number: number)
  }

  /// Watches for the spool to be moved or removed, and for symbolic links on the way to it to be
  /// changed. It watches the directories that contain these names: an open directory is not gone for
  /// the system, and no notice tells of a link itself.
  ///
  /// - Returns: The names, without those whose directory may not be read.
  func watchPlaces(of spool: SpoolDirectory) -> Set<Place> {
    // A link is changed by moving another one over it.
    let links = spool.path.links.compactMap { watch($0, UInt32(IN_MOVED_TO)) }
    let own = (try? spool.path.resolved()).flatMap { watch($0, 0) }
    return Set(links + [own].compactMap(\.self))
  }

  private func watch(_ name: BytePath, _ more: UInt32) -> Place? {
    // The mask is added, since the directory may be watched already: the root directory contains
    // itself.
    let mask = UInt32(IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR | IN_MASK_ADD) | more
    let number = unsafe name.parent.withCString {
      unsafe inotify_add_watch(descriptor.number, $0, mask)
    }
    return number < 0 ? nil : Place(watch: Watch(number: number), name: name.lastName)
  }

  /// Ends a watch. Nothing happens if the kernel has ended it already.
  func unwatch(_ watch: Watch) { inotify_rm_watch(descriptor.number, watch.number) }

  /// Reads as many notices as there are and as fit into `buffer`.
  ///
  /// - Returns: How many bytes it read; 0 if there are none.
  func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    do throws(SystemError) {
      return try descriptor.read(into: &buffer)
    } catch {
      guard error.code == EAGAIN else { throw error }
      return 0
    }
  }
}
