import Foundation
import Redis

/// A Redis server of a test's own, that keeps nothing. It ends with this, and with the process that runs
/// the tests, however that ends.
final class RedisServer: Sendable {
  struct Failure: Error { let output: String }

  let address: RedisAddress
  let process: pid_t
  /// A shell that kills the server and removes its directory when its own input ends, which the kernel
  /// sees to.
  private let keeper: ChildProcess

  // Debian's redis-tools has the server as well: it looks at the name under which it is started.
  private static let script = """
    program=$(type -P redis-server || type -P redis-check-rdb) || {
      echo 'there is no redis-server; scripts/integration installs one'; exit 1
    }
    directory=$1; shift
    (exec -a redis-server "$program" --dir "$directory" "$@" </dev/null) &
    exec >/dev/null 2>&1
    read -r _
    kill -KILL %1
    wait
    rm -rf "$directory"
    """

  /// Returns once the server accepts connections.
  static func start(on kind: Kind = .unix) throws -> RedisServer {
    switch kind {
    case .unix: return try RedisServer(port: nil)
    case .tcp:
      // Somebody else may take the port before the server does.
      for _ in 0..<9 {
        if let server = try? RedisServer(port: LoopbackPort().number) { return server }
      }
      return try RedisServer(port: LoopbackPort().number)
    }
  }

  enum Kind: Sendable, CaseIterable { case unix, tcp }

  /// - Parameter port: Of the loopback interface; on a socket if nil.
  /// - Throws: ``Failure`` with what the server says, if it does not start.
  init(port: UInt16?) throws {
    var template = "/tmp/redis-tests.XXXXXX".utf8CString
    let made = unsafe template.withUnsafeMutableBufferPointer {
      unsafe mkdtemp($0.baseAddress!) != nil
    }
    precondition(made, "mkdtemp failed: \(errno)")
    let directory = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = directory + "/socket"
    address = port.map { .tcp(host: "127.0.0.1", port: $0) } ?? .unix(path: path)

    let options = ["--save", "", "--appendonly", "no"]
    let listening = port.map { ["--bind", "127.0.0.1", "--port", "\($0)"] }
    keeper = ChildProcess(
      ["/bin/bash", "-c", Self.script, "keeper", directory] + options
        + (listening ?? ["--port", "0", "--unixsocket", path]))
    do {
      process = try Self.waitUntilReady(keeper)
    } catch {
      keeper.finish()
      throw error
    }
  }

  deinit { keeper.finish() }

  /// The number of the server's process, which stands at the beginning of each of its lines.
  private static func waitUntilReady(_ keeper: ChildProcess) throws -> pid_t {
    var text = ""
    while case let data = keeper.readSome(), !data.isEmpty {
      text += String(decoding: data, as: UTF8.self)
      for line in text.split(separator: "\n") where line.lowercased().contains("ready to accept") {
        if let process = line.split(separator: ":").first.flatMap({ pid_t($0) }) { return process }
      }
    }
    throw Failure(output: text)
  }

  /// Ends it as a crash would.
  func kill() { signal(SIGKILL) }

  func killAndWait() {
    kill()
    // Until whoever started it has seen that: before, some of its threads may still hold its sockets.
    while Foundation.kill(process, 0) == 0 {}
  }

  /// Lets it answer nothing until ``goOn()``. It stands still when this has returned.
  func stop() {
    signal(SIGSTOP)
    while state != "T" {}
  }

  func goOn() { signal(SIGCONT) }

  /// Returns when what had come to it over other connections before this call has been answered.
  func waitUntilItHasAnswered() throws {
    guard case .unix(let path) = address else { preconditionFailure("it is asked over a socket") }
    // Twice, one after the other: what comes at a time may be answered in any order.
    let answer = ChildProcess(["/usr/bin/env", "redis-cli", "-s", path, "-r", "2", "PING"]).finish()
    guard answer == Data("PONG\nPONG\n".utf8) else {
      throw Failure(output: String(decoding: answer, as: UTF8.self))
    }
  }

  private func signal(_ number: CInt) {
    let status = Foundation.kill(process, number)
    precondition(status == 0, "kill failed: \(errno)")
  }

  /// As the kernel names it, behind the name of the program.
  private var state: Substring? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text?.split(separator: ")").last?.split(separator: " ").first
  }
}

/// A port of this machine on which nobody listens, while this lives.
final class LoopbackPort: Sendable {
  let number: UInt16
  private let descriptor: CInt

  init() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        let bound = unsafe bind(descriptor, $0, length) == 0
        precondition(bound, "bind failed: \(errno)")
        _ = unsafe getsockname(descriptor, $0, &length)
      }
    }
    self.descriptor = descriptor
    number = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
