internal import Glibc

/// The value of a variable of the process's environment. Nil if it is not set, or empty.
package func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(cString: value)
}
