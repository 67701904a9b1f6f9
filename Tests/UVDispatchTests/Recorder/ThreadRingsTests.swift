import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch
@testable import UVDispatch

extension OnePool {
  @Suite("The rings of threads")
  struct ThreadRingsTests {
    /// A time, and a kind that no event has.
    private static func mark(_ kind: UInt64) -> UInt64 { ThreadRings.ticks << 8 | kind }

    @Test("hold whole events in order, whenever they are copied")
    func whole() {
      ThreadRings.prepare(bytes: 1 << 20)
      let (goesOn, filled) = (Box(true), Latch())
      let writer = OtherThread {
        var number: UInt64 = 0
        while number < 100_000 || goesOn.value {
          for _ in 0..<100 {
            ThreadRings.write(Self.mark(0xff), number, ~number, number &* 0x9e37_79b9_7f4a_7c15)
            number += 1
          }
          if number == 100_000 { filled.open() }
        }
      }
      filled.hold(patience)
      var events = 0
      for _ in 0..<(ThisProcess.isSanitized ? 10 : 100) {
        let copies = ThreadRings.all().filter { $0.words.first.map { $0 & 0xff } == 0xff }
        // None, if the whole ring was overwritten during the copy.
        #expect(copies.count <= 1)
        for copy in copies {
          #expect(copy.lost > 0 && copy.words.count % 4 == 0)
          var last: UInt64?
          for index in stride(from: 0, to: copy.words.count, by: 4) {
            let number = copy.words[index + 1]
            guard copy.words[index + 2] == ~number,
              copy.words[index + 3] == number &* 0x9e37_79b9_7f4a_7c15,
              last.map({ number == $0 + 1 }) ?? (number == copy.lost)
            else {
              Issue.record("event \(number) is torn, or out of order")
              break
            }
            last = number
            events += 1
          }
        }
      }
      goesOn.value = false
      #expect(writer.join())
      #expect(events > 1000)
    }

    @Test("keep the events and the name of a thread that has ended")
    func ended() {
      ThreadRings.prepare(bytes: 1 << 20)
      let id = Box(0)
      onAnotherThread {
        id.value = Int(TaskContext.callingThread.number)
        ThreadName.set("short", "lived")
        ThreadRings.write(Self.mark(0xfe), 1, 2, 3)
      }
      // The thread has opened a latch, and ends now.
      while true {
        let copy = ThreadRings.all().first {
          $0.words.first.map { $0 & 0xff } == 0xfe && $0.words.dropFirst().starts(with: [1, 2, 3])
        }
        guard let copy else { break }
        #expect(copy.thread.id == id.value && copy.thread.name == "short lived")
        if copy.thread.name == "short lived" { break }
      }
    }
  }
}

extension ThreadRings {
  fileprivate static func all() -> [Copy] {
    var copies: [Copy] = []
    copyAll { copies.append($0) }
    return copies
  }
}
