import Foundation
import Redis
import Testing

extension OnOurLoop {
  @Suite("The server of a test")
  struct ServerOfTestsTests {
    @Test("ends with the process that started it, also if that crashes")
    func endsWithItsProcess() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardOutputContent]
      ) {
        let server = try RedisServer.start()
        print("server \(server.process)")
        fflush(nil)
        abort()
      }

      let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
      let line = try #require(output.split(separator: "\n").last { $0.hasPrefix("server ") })
      let process = try #require(pid_t(line.dropFirst("server ".count)))
      let clock = ContinuousClock()
      let end = clock.now.advanced(by: patience)
      // No process waits for it, so its number is free as soon as it has ended.
      while kill(process, 0) == 0, clock.now < end {}
      #expect(kill(process, 0) != 0)
    }

    @Test("says why it does not start")
    func doesNotStart() {
      let taken = LoopbackPort()

      let failure = #expect(throws: RedisServer.Failure.self) {
        try RedisServer(port: taken.number)
      }

      #expect(failure?.output.contains("Address already in use") == true)
      withExtendedLifetime(taken) {}
    }

    @Test("ends with the test")
    func endsWithTheTest() throws {
      var server: RedisServer? = try RedisServer.start()
      let process = try #require(server).process
      let address = try #require(server).address
      #expect(kill(process, 0) == 0)

      server = nil

      #expect(kill(process, 0) != 0)
      guard case .unix(let path) = address else { return }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
