import Foundation
import Redis

/// A Redis server of a test's own, which stores nothing on disk. It ends with this object, and with the
/// process that runs the tests, however that process ends.
final class RedisServer: Sendable {
  struct Failure: Error { let output: String }

  let address: RedisAddress
  let process: pid_t
  /// A shell that kills the server and removes its directory when the shell's own input ends. The
  /// kernel ends that input together with this process.
  private let keeper: ChildProcess

  // Debian's redis-tools contains the server as well: the program acts according to the name under
  // which it is started.
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
      // Another process may take the port before the server does.
      for _ in 0..<9 {
        if let server = try? RedisServer(port: LoopbackPort().number) { return server }
      }
      return try RedisServer(port: LoopbackPort().number)
    }
  }

  enum Kind: Sendable, CaseIterable { case unix, tcp }

  /// - Parameter port: A port of the loopback interface; nil for a socket.
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

  /// The number of the server's process, which stands at the beginning of each line that the server
  /// writes.
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

  /// Ends the server as a crash would.
  func kill() { signal(SIGKILL) }

  func killAndWait() {
    kill()
    // Waits until the parent of the server has seen its end: before that, some of its threads may still
    // hold its sockets.
    while Foundation.kill(process, 0) == 0 {}
  }

  /// Stops the server: it answers nothing until ``goOn()``. It has stopped when this returns.
  func stop() {
    signal(SIGSTOP)
    while state != "T" {}
  }

  func goOn() { signal(SIGCONT) }

  /// Returns when the server has answered all that had reached it over other connections before this
  /// call.
  func waitUntilItHasAnswered() throws {
    guard case .unix(let path) = address else { preconditionFailure("it is asked over a socket") }
    // Asks twice, one request after the other: requests that arrive together may be answered in any
    // order.
    let answer = ChildProcess(["/usr/bin/env", "redis-cli", "-s", path, "-r", "2", "PING"]).finish()
    guard answer == Data("PONG\nPONG\n".utf8) else {
      throw Failure(output: String(decoding: answer, as: UTF8.self))
    }
  }

  private func signal(_ number: CInt) {
    let status = Foundation.kill(process, number)
    precondition(status == 0, "kill failed: \(errno)")
  }

  /// The state as the kernel names it, behind the name of the program.
  private var state: Substring? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text?.split(separator: ")").last?.split(separator: " ").first
  }
}

/// A port of this machine on which no process listens while this object lives.
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
