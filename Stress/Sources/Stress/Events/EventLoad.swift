import Glibc
import Oracle
import TaskDispatch
import TaskDispatchTesting

/// The handlers of one round and the descriptors that they wait for, of all dispatchers.
final class EventLoad: Sendable {
  unowned let world: World
  private let listeners = Locked<[Listener]>([])
  private let wires = Locked<[Wire]>([])
  private let hosts = Locked<[any EventHost]>([])
  /// The fake, where the program itself says that a signal arrived or a descriptor is ready; nil where
  /// the system says so.
  let fake: RecordingDispatcher?
  /// Whether threads other than the loop's cancel handlers. Then a call may begin and end that no
  /// handler sees.
  let hasOutsiders: Bool

  /// If there are more handlers of a kind than this, each new one makes its caller end another.
  static let most = 24

  /// A regular file, which is always ready and cannot be watched.
  static let file = Glibc.open("/proc/self/exe", O_RDONLY | O_CLOEXEC)

  init(_ world: World, hasOutsiders: Bool) {
    self.world = world
    fake = world.dispatcher as? RecordingDispatcher
    self.hasOutsiders = hasOutsiders
  }

  // MARK: Signals

  func raise(_ raised: RaisedSignal) {
    world.totals.raised.add()
    guard let fake else { return raised.raise() }
    raised.raises.count {
      // If no handler waits for the signal, the fake tells none.
      try? fake.raise(raised.signal)
      return true
    }
  }

  /// A listener at `host`, if there is one.
  func anyListener(at host: any EventHost, _ number: UInt64) -> Listener? {
    listeners.withLock { listeners in
      let here = listeners.filter { $0.host === host }
      return here.isEmpty ? nil : here[Int(number % UInt64(here.count))]
    }
  }

  func anyListener(_ dice: inout Dice) -> Listener? { any(of: listeners, &dice) }

  /// Registers one more handler. If there are many, returns another one that the caller should end.
  @discardableResult
  func listen(at host: any EventHost, seed: UInt64, isResident: Bool = false) -> Listener? {
    var dice = Dice(seed: seed)
    let signals = isResident || dice.roll(4) > 0 ? RaisedSignal.counted : RaisedSignal.sent
    // The fake delivers exactly what it is told to deliver.
    let raised =
      fake == nil ? signals[dice.roll(signals.count)] : RaisedSignal.counted[dice.roll(6)]
    let listener = Listener(
      for: raised, at: host, self, seed: dice.next(), isResident: isResident)
    let old = listeners.withLock { listeners -> Listener? in
      listeners.append(listener)
      return isResident || listeners.count <= Self.most
        ? nil : listeners[dice.roll(listeners.count - 1)]
    }
    world.totals.handlers.add()
    listener.listen()
    return old
  }

  // MARK: Descriptors

  func anyWire(_ dice: inout Dice) -> Wire? { any(of: wires, &dice) }

  /// Watches one more descriptor. If there are many, returns another one that the caller should end.
  @discardableResult
  func open(at host: any EventHost, seed: UInt64) -> Wire? {
    var dice = Dice(seed: seed)
    guard let wire = Wire(at: host, self, seed: dice.next()) else { return nil }
    let old = wires.withLock { wires -> Wire? in
      wires.removeAll { $0.isClosed }
      wires.append(wire)
      return wires.count <= Self.most ? nil : wires[dice.roll(wires.count - 1)]
    }
    world.totals.handlers.add()
    wire.watch()
    return old
  }

  // MARK: Hosts

  func add(_ host: any EventHost) { hosts.withLock { $0.append(host) } }

  func anyHost(_ dice: inout Dice) -> (any EventHost)? { any(of: hosts, &dice) }

  /// Whether the handlers have been told everything. Right only while no thread raises a signal or
  /// writes.
  var isQuiet: Bool {
    wires.withLock { $0 }.allSatisfy(\.isQuiet)
      && listeners.withLock { $0 }.allSatisfy { $0.checker.isHeard }
  }

  /// What has not been told yet, for people.
  var state: String {
    let loud = wires.withLock { $0 }.filter { !$0.isQuiet }.map(\.description)
    let deaf = listeners.withLock { $0 }.filter { !$0.checker.isHeard }.map(\.checker.calls.name)
    return (loud + deaf.map { "\($0) was told of nothing" }).joined(separator: "\n")
  }

  /// How often each signal has certainly arrived.
  static var least: [CInt: Int] {
    Dictionary(
      uniqueKeysWithValues: RaisedSignal.counted.map { ($0.signal.rawValue, $0.raises.least) })
  }

  /// The report of `host` is there, and the thread that ran its loop has left it.
  ///
  /// - Parameter least: How many signals had arrived before the shutdown; nil if the shutdown was not
  ///   to wait for them.
  func end(_ host: any EventHost, least: [CInt: Int]?) {
    hosts.withLock { $0.removeAll { $0 === host } }
    let gone = listeners.withLock { take(host, from: &$0, \.host) }
    for listener in gone {
      if let least { listener.checkEnd(least) }
      listener.checker.calls.reported()
    }
    for wire in wires.withLock({ take(host, from: &$0, \.host) }) { wire.reported() }
  }

  /// The round is over. Closes the descriptors whose dispatcher had ended before they were opened.
  func closeWhatIsLeft() {
    let left = wires.withLock { wires in
      defer { wires = [] }
      return wires
    }
    for wire in left { wire.reported() }
    listeners.withLock { $0 = [] }
  }

  private func take<Element>(
    _ host: any EventHost, from all: inout [Element], _ hostOf: (Element) -> any EventHost
  ) -> [Element] {
    let gone = all.filter { hostOf($0) === host }
    all.removeAll { hostOf($0) === host }
    return gone
  }

  private func any<Element>(of all: Locked<[Element]>, _ dice: inout Dice) -> Element? {
    all.withLock { $0.isEmpty ? nil : $0[dice.roll($0.count)] }
  }
}
