import Glibc

@testable import Spool

/// The program `spoold` itself, in a process of its own.
struct Program {
  let status: Int32
  let output: String
  /// The lines on standard error.
  let complaints: [String]

  /// The program is built beside the tests.
  static var path: BytePath {
    get throws { try BytePath("/proc/self/exe").resolved().parent.appending("spoold".utf8) }
  }

  /// Stands before each script. Descriptors that the tests have open and that are inherited would count
  /// against a limit.
  private static let preamble = """
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"
    done
    cd "$1"; shift; spoold() { "$0" "$@"; }
    """

  /// Runs `script` in bash within `scratch`, where `spoold` is the program.
  init(_ script: String, in scratch: Scratch, _ arguments: [BytePath] = []) throws {
    let messages = Scratch()
    status = try Shell.status(
      Self.preamble + "\n" + script, [scratch.path] + arguments,
      out: messages["out"], errors: messages["errors"])
    output = String(decoding: try messages.read("out"), as: UTF8.self)
    complaints = String(decoding: try messages.read("errors"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}
