import Testing

@testable import TaskDispatch

/// The virtual time goes on while `spin` looks, and while other threads have the processor.
@Suite("Looking for a while")
struct SpinTests {
  private final class World {
    var time: Int64 = 1_000
    var looks = 0
    /// For how long other threads have the processor, each time that `spin` gives way. After these, 300 ns each
    /// time.
    var aways: [Int64] = []
    var gaveWay = 0

    func spin(_ nanoseconds: Int64, until isTrue: (World) -> Bool) -> (hasFound: Bool, away: Int64)
    {
      TaskDispatch.spin(
        nanoseconds: nanoseconds, now: { self.time },
        giveWay: {
          self.time += self.aways.isEmpty ? 300 : self.aways.removeFirst()
          self.gaveWay += 1
        },
        until: {
          self.looks += 1
          self.time += 2
          return isTrue(self)
        })
    }
  }

  private let world = World()

  @Test("ends with what it looks for, which may be there at once")
  func found() {
    let search = world.spin(4_000) { _ in true }

    #expect(search == (true, 0))
    #expect(world.looks == 1)
  }

  @Test("looks a microsecond, gives way, and says for how long others had the processor at most")
  func away() {
    world.aways = [1_700, 300]

    let search = world.spin(100_000) { $0.gaveWay == 3 }

    #expect(search == (true, 1_700))
    #expect(world.looks == 3 * 512 + 1)
  }

  @Test("ends in vain when the time is over, and does not give way any more")
  func inVain() {
    let search = world.spin(2_000) { _ in false }

    // Two stretches of 1024 ns each, and 300 ns in between.
    #expect(search == (false, 300))
    #expect(world.time == 1_000 + 2 * 1_024 + 300)
  }

  @Test("is over when the time is, to the nanosecond")
  func over() {
    #expect(world.spin(1_024) { _ in false } == (false, 0))
    #expect(world.gaveWay == 0)

    #expect(world.spin(1_025) { _ in false } == (false, 300))
    #expect(world.gaveWay == 1)
  }

  @Test("looks for a microsecond all the same if there is no time")
  func noTime() {
    #expect(world.spin(0) { $0.looks == 512 } == (true, 0))
    #expect(world.spin(0) { _ in false } == (false, 0))
  }
}
