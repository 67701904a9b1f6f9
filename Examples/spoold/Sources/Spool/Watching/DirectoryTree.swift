/// The known directories of the spool, and the watch of each.
///
/// If a directory is moved, all below it moves along, here as on the disk. So nothing has to be
/// renamed; see ``detach(_:)``.
struct DirectoryTree {
  private struct Node {
    /// Nil for the spool, and for a detached directory.
    var parent: Int?
    var name: [UInt8]
    var children: [[UInt8]: Int] = [:]
    /// Nil if the directory could not be watched.
    var watch: Inotify.Watch?
  }

  private var nodes: [Int: Node] = [:]
  private var owners: [Inotify.Watch: Int] = [:]
  private var root: Int?
  private var nextNumber = 0
  /// Directories that were moved or removed. A scan may find them again somewhere else.
  private var detached: Set<Int> = []

  /// How many directories are watched.
  var watchCount: Int { owners.count }

  /// The path of a watched directory; nil if it is not known, or nowhere in the spool.
  func path(of watch: Inotify.Watch) -> BytePath? {
    guard var number = owners[watch] else { return nil }
    var names: [[UInt8]] = []
    while number != root {
      guard let node = nodes[number], let parent = node.parent else { return nil }
      names.append(node.name)
      number = parent
    }
    return BytePath(names.reversed().joined(separator: [UInt8(ascii: "/")]))
  }

  /// The names of the known directories in a directory.
  func children(of path: BytePath) -> [[UInt8]] {
    number(at: path).map { Array(nodes[$0]!.children.keys) } ?? []
  }

  /// Records that a directory was found, and its watch if it has one. If the directory stood elsewhere
  /// before, all below it moves along.
  ///
  /// - Returns: False if the directory above it is not known, or not any more.
  mutating func bind(_ path: BytePath, to watch: Inotify.Watch?) -> Bool {
    let isRoot = path.bytes.isEmpty
    let parent = isRoot ? nil : number(at: path.directory)
    guard isRoot || parent != nil else { return false }
    let before = number(at: path)
    let number = watch.flatMap { owners[$0] } ?? fresh(at: before, watch)
    if let before, before != number { detach(path) }
    if number != before {
      // A directory cannot stand below itself, in whatever order these facts were found.
      guard parent.map({ !isDetached($0) && !stands($0, below: number) }) ?? true else {
        return false
      }
      unlink(number)
      nodes[number]!.parent = parent
      nodes[number]!.name = path.lastName
      if let parent { nodes[parent]!.children[path.lastName] = number }
    }
    if isRoot { root = number }
    detached.remove(number)
    return true
  }

  /// The node at that place, if it can take the watch; else a new one.
  private mutating func fresh(at before: Int?, _ watch: Inotify.Watch?) -> Int {
    if let before, nodes[before]!.watch == nil || watch == nil {
      if let watch {
        nodes[before]!.watch = watch
        owners[watch] = before
      }
      return before
    }
    nextNumber += 1
    nodes[nextNumber] = Node(name: [], watch: watch)
    if let watch { owners[watch] = nextNumber }
    return nextNumber
  }

  /// Records that the directory at `path` is not there any more. What is known of it is kept, in case
  /// it is found elsewhere.
  mutating func detach(_ path: BytePath) {
    guard let number = number(at: path), number != root else { return }
    unlink(number)
    detached.insert(number)
  }

  /// Forgets all that was detached and not found again.
  ///
  /// - Returns: The watches to end.
  mutating func takeDetached() -> [Inotify.Watch] {
    var watches: [Inotify.Watch] = []
    var rest = Array(detached)
    detached = []
    while let number = rest.popLast() {
      guard let node = nodes.removeValue(forKey: number) else { continue }
      rest += node.children.values
      guard let watch = node.watch else { continue }
      owners[watch] = nil
      watches.append(watch)
    }
    return watches
  }

  /// Records that a watch has ended: its directory is gone, or its file system is unmounted.
  mutating func remove(_ watch: Inotify.Watch) {
    if let number = owners.removeValue(forKey: watch) { nodes[number]!.watch = nil }
  }

  // MARK: Where things stand

  private func number(at path: BytePath) -> Int? {
    guard var number = root else { return nil }
    for name in path.names {
      guard let child = nodes[number]!.children[Array(name)] else { return nil }
      number = child
    }
    return number
  }

  private mutating func unlink(_ number: Int) {
    guard let node = nodes[number], let parent = node.parent else { return }
    nodes[parent]!.children[node.name] = nil
    nodes[number]!.parent = nil
  }

  private func isDetached(_ number: Int) -> Bool {
    var number = number
    while let parent = nodes[number]!.parent { number = parent }
    return number != root
  }

  private func stands(_ number: Int, below ancestor: Int) -> Bool {
    var next: Int? = number
    while let number = next {
      if number == ancestor { return true }
      next = nodes[number]!.parent
    }
    return false
  }
}
