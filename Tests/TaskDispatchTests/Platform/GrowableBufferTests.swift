import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A growable buffer")
struct GrowableBufferTests {
  @Test("does what an array does, while it grows and shrinks")
  func matchesAnArray() {
    var buffer = GrowableBuffer<Int>()
    var array: [Int] = []
    func matches() -> Bool {
      buffer.count == array.count && buffer.isEmpty == array.isEmpty
        && array.indices.allSatisfy { buffer[$0] == array[$0] }
    }
    #expect(matches())
    for most in [1, 15, 16, 17, 100, 3] {
      for number in 0..<most {
        buffer.append(number)
        array.append(number)
      }
      #expect(matches())
      buffer[most / 2] = -1
      array[most / 2] = -1
      #expect(matches())
      for _ in 0..<(most - most / 3) {
        #expect(buffer.removeLast() == array.removeLast())
      }
      #expect(matches())
    }
  }

  @Test("lets go of an element when that is taken out or replaced, and of the others with itself")
  func letsGo() {
    let census = Census()
    do {
      var buffer = GrowableBuffer<Token>()
      for number in 0..<40 { buffer.append(Token(number, in: census)) }
      #expect(census.living == 40)
      #expect(buffer.removeLast().number == 39)
      #expect(census.living == 39)
      buffer[3] = Token(100, in: census)
      #expect(census.living == 39)
      #expect(buffer[3].number == 100)
    }
    #expect(census.living == 0)
  }
}

@Suite("A ticket of a deadline queue")
struct DeadlineTicketTests {
  @Test(
    "is the same when it was kept as a number",
    arguments: [0, 1, Int32.max], [0, 1, UInt32(Int32.max) + 1, UInt32.max])
  func asNumber(place: Int32, generation: UInt32) {
    let ticket = DeadlineTicket(place: place, generation: generation)
    #expect(DeadlineTicket(bits: ticket.bits) == ticket)
  }

  @Test("is another number for each place and generation")
  func distinct() {
    let tickets = [0, 1, Int32.max].flatMap { place in
      [0, 1, UInt32.max].map { DeadlineTicket(place: place, generation: $0).bits }
    }
    #expect(Set(tickets).count == 9)
  }
}
