import Redis
import Testing
import UVDispatch

extension OnOurLoop {
  @Suite("A subscription")
  struct SubscriptionTests {
    @Test("begins, brings what is published, and ends when it is asked to")
    func messages() throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let events = Confined([RedisSubscription](), to: dispatcher.foreground)
      let afterwards = Confined([RedisReply](), to: dispatcher.foreground)
      let messages = (0..<1_000).map { "message \($0)" }

      dispatcher.runToTheEnd {
        let publisher = RedisConnection(to: server.address, on: dispatcher) { _ in }
        let subscriber = RedisConnection(to: server.address, on: dispatcher) { error in
          #expect(error == nil)
          dispatcher.beginShutdown()
        }
        subscriber.subscribe(to: "news") { event in
          events.withValue { $0.append(event) }
          switch event {
          case .began:
            for message in messages { publisher.send(["PUBLISH", "news", message]) { _ in } }
          case .message(let bytes):
            guard bytes == Array(messages.last!.utf8) else { return }
            subscriber.unsubscribe(from: "news")
            subscriber.unsubscribe(from: "news")
            subscriber.unsubscribe(from: "something else")
          case .ended:
            // The connection is like any other again.
            subscriber.send(["ECHO", "done"]) { reply in
              afterwards.withValue { $0.append((try? reply.get()) ?? .null) }
              subscriber.close()
            }
          }
        }
      }

      #expect(
        events.takeValue() == [.began] + messages.map { .message(Array($0.utf8)) } + [.ended(nil)])
      #expect(afterwards.takeValue() == [.text("done")])
    }

    enum Ending: Sendable, CaseIterable {
      case kill, close, cut, shutDown

      var error: RedisError? { self == .shutDown ? .shutDown : nil }
    }

    @Test("ends once with its connection, and before it", arguments: Ending.allCases)
    func endsWithItsConnection(ending: Ending) throws {
      let server = try RedisServer.start()
      let dispatcher = try UVDispatcher()
      let events = Confined([RedisSubscription](), to: dispatcher.foreground)
      let ends = Confined([RedisError?](), to: dispatcher.foreground)

      dispatcher.runToTheEnd {
        let subscriber = RedisConnection(to: server.address, on: dispatcher) { error in
          ends.withValue { $0.append(error) }
          #expect(events.withValue { $0.filter(\.isEnd).count } == 2)
          dispatcher.beginShutdown()
        }
        for channel in ["news", "weather"] {
          subscriber.subscribe(to: channel) { event in
            let began = events.withValue { events in
              events.append(event)
              return event == .began && channel == "news"
            }
            guard began else { return }
            switch ending {
            case .kill: server.kill()
            case .close: subscriber.close()
            case .cut: subscriber.cut()
            case .shutDown: dispatcher.beginShutdown()
            }
          }
        }
      }

      let seen = events.takeValue()
      let ended = seen.filter(\.isEnd)
      #expect(ended.count == 2)
      #expect(Array(seen.suffix(2)) == ended)
      let told = ends.takeValue()
      #expect(ended.allSatisfy { $0 == .ended(told.first!) })
      if ending == .kill {
        #expect(told.first??.isLoss(of: server.address) == true)
      } else {
        #expect(told == [ending.error])
      }
    }
  }
}

extension RedisSubscription {
  fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
