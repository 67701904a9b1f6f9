#if Daemon
  import TestSupport
  import Testing

  @testable import UVDaemon

  @Suite("The environment of a service")
  struct EnvironmentTests {
    private func manager(_ variables: [String: String]) throws(EnvironmentError) -> ServiceManager {
      try ServiceManager(process: 42) { variables[$0] }
    }

    @Test("that says nothing is that of a program which a person has started")
    func nothing() throws {
      #expect(try manager([:]) == .absent)
      #expect(try manager(["NOTIFY_SOCKET": "", "WATCHDOG_USEC": "", "LISTEN_FDS": ""]) == .absent)
    }

    @Test("says where the service manager listens", arguments: ["/run/x", "@abstract", "//", "@@"])
    func address(_ text: String) throws {
      #expect(try manager(["NOTIFY_SOCKET": text]).address == text)
    }

    @Test("says how long it waits for a sign of life, to the process that it means")
    func watchdog() throws {
      #expect(try manager(["WATCHDOG_USEC": "20000000"]).watchdogTimeout == .seconds(20))
      let mine = try manager(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "42"])
      #expect(mine.watchdogTimeout == .microseconds(1))
      let others = try manager(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "43"])
      #expect(others.watchdogTimeout == nil)
    }

    @Test("names the sockets that were passed, to the process that it means")
    func sockets() throws {
      let two = try manager(["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:"])
      #expect(two.sockets.map(\.descriptor) == [3, 4])
      #expect(two.sockets.map(\.name) == ["http", ""])
      let nameless = try manager(["LISTEN_PID": "42", "LISTEN_FDS": "1"])
      #expect(nameless.sockets.map(\.name) == ["unknown"])
      #expect(try manager(["LISTEN_PID": "41", "LISTEN_FDS": "2"]).sockets.isEmpty)
      #expect(try manager(["LISTEN_FDS": "2"]).sockets.isEmpty)
      let none = try manager(["LISTEN_PID": "42", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""])
      #expect(none.sockets.isEmpty)
    }

    @Test(
      "that is for another process is not used, and that is a sentence, unless nothing is lost by it",
      arguments: [
        (
          ["LISTEN_PID": "41", "LISTEN_FDS": "1"], "LISTEN_PID is \"41\", and this process is 42: "
        ),
        (
          ["LISTEN_FDS": "1"],
          "LISTEN_PID is not set, and this process is 42: the sockets that were"
        ),
        (
          ["NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "9", "WATCHDOG_PID": "41"],
          "WATCHDOG_PID is \"41\", and this process is 42: it gives no sign of life"
        ), (["LISTEN_PID": "42", "LISTEN_FDS": "1"], nil), (["LISTEN_PID": "41"], nil),
        (["LISTEN_PID": "41", "LISTEN_FDS": "0"], nil),
        (["WATCHDOG_USEC": "9", "WATCHDOG_PID": "41"], nil),
        (["NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "9"], nil), ([:], nil),
      ] as [([String: String], String?)])
    func strays(_ variables: [String: String], _ sentence: String?) throws {
      let manager = try ServiceManager(
        process: 42, isSocket: { $0 == 3 }, variable: { variables[$0] })
      #expect(manager.strays.count == (sentence == nil ? 0 : 1))
      if let sentence { #expect(manager.strays.first?.hasPrefix(sentence) == true) }

      // Here the parent has the sockets, and this process has only inherited the variables. That deserves no
      // warning.
      let child = try ServiceManager(
        process: 42, isSocket: { _ in false }, variable: { variables[$0] })
      #expect(child.strays.contains { $0.contains("LISTEN_PID") } == false)
    }

    @Test("that is for another process is logged, once")
    func strayIsLogged() throws {
      let scene = try Scene([
        "NOTIFY_SOCKET": "/run/manager", "WATCHDOG_USEC": "9", "WATCHDOG_PID": "6",
      ])
      try scene.daemon.begin(untilSignals: [])
      #expect(
        scene.messages == [
          "warning: WATCHDOG_PID is \"6\", and this process is 7: it gives no sign of life, for which the service "
            + "manager may end it; a script that starts the program must do so with exec"
        ])
      try scene.finish()
    }

    @Test(
      "that makes no sense is an error, which names the variable, its value and what it must be",
      arguments: [
        ("NOTIFY_SOCKET", "run/x", "absolute path"), ("NOTIFY_SOCKET", "/", "absolute path"),
        ("NOTIFY_SOCKET", "vsock:2:1", "absolute path"),
        ("NOTIFY_SOCKET", "/" + String(repeating: "x", count: 108), "at most 108 bytes"),
        ("WATCHDOG_USEC", "0", "above 0"), ("WATCHDOG_USEC", "-5", "above 0"),
        ("WATCHDOG_USEC", "+5", "above 0"), ("WATCHDOG_USEC", "5s", "microseconds"),
        ("WATCHDOG_USEC", "99999999999999999999", "microseconds"),
        ("WATCHDOG_PID", "me", "number of a process"), ("LISTEN_PID", "0", "number of a process"),
        ("LISTEN_FDS", "-1", "number of descriptors"), ("LISTEN_FDS", "1048577", "at most 1048576"),
        ("LISTEN_FDS", "٣", "number of descriptors"),
        ("LISTEN_FDNAMES", "a:b:c", "as many names"),
      ])
    func senseless(_ name: String, _ value: String, _ expected: String) throws {
      var variables = ["WATCHDOG_USEC": "1", "LISTEN_PID": "42", "LISTEN_FDS": "2"]
      variables[name] = value

      let error = #expect(throws: EnvironmentError.self) { try manager(variables) }

      let text = try #require(error).description
      #expect(text.hasPrefix("\(name) is \"\(value)\": "))
      #expect(text.contains(expected), "\(text)")
    }

    @Test("whatever it says is taken or refused, and never crashes", arguments: 0..<20)
    func random(_ seed: Int) {
      var dice = Dice(seed: seed)
      let pieces = [
        "0", "1", "42", "@", "/", ":", "-", "x", "٣", "\u{0}", "9223372036854775807", " ",
      ]
      for _ in 0..<2_000 {
        var variables: [String: String] = [:]
        for name in [
          "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS",
          "LISTEN_FDNAMES",
        ] where dice.roll(4) > 0 {
          variables[name] = (0..<dice.roll(5)).map { _ in pieces[dice.roll(pieces.count)] }
            .joined()
        }
        do throws(EnvironmentError) {
          let manager = try manager(variables)
          #expect(manager.address.map { (2...108).contains($0.utf8.count) } ?? true)
          #expect(manager.watchdogTimeout.map { $0 > .zero } ?? true)
          let isListed = variables["LISTEN_PID"] == "42"
          #expect(manager.sockets.isEmpty || isListed, "seed \(seed): \(variables)")
        } catch {
          #expect(variables[error.variable] == error.value, "seed \(seed): \(variables)")
        }
      }
    }
  }
#endif
