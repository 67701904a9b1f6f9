internal import TaskDispatch

/// What a queued plain task is in the real dispatcher: 28 bytes, 32 apart.
struct Slot {
  let body: @Sendable () -> Void
  let site: CallSite

  @inline(__always)
  init(_ body: consuming @escaping @Sendable () -> Void, _ site: CallSite) {
    self.body = body
    self.site = site
  }
}

func measurePolicy() {
  let million = 1_000_000
  let body: @Sendable () -> Void = {}
  func slot(_ number: Int) -> Slot {
    Slot(body, CallSite(fileID: #fileID, line: UInt(number)))
  }

  measure("ReadyQueue cold push", items: million) {
    var queue = ReadyQueue<Slot>(agingStep: 100_000_000)
    for number in 0..<million { queue.push(slot(number), in: .medium) }
    precondition(queue.count == million)
  }
  var queue = ReadyQueue<Slot>(agingStep: 100_000_000)
  for number in 0..<million { queue.push(slot(number), in: .medium) }
  while queue.take(now: { 0 }) != nil {}
  measure("ReadyQueue warm push", items: million) {
    while queue.take(now: { 0 }) != nil {}
    for number in 0..<million { queue.push(slot(number), in: .medium) }
  }
  while queue.take(now: { 0 }) != nil {}
  measure("ReadyQueue warm push and take", items: million) {
    for number in 0..<million { queue.push(slot(number), in: .medium) }
    var sum: UInt32 = 0
    while let next = queue.take(now: { 0 }) { sum &+= next.site.line }
    precondition(sum > 0)
  }
  measure("ReadyQueue push and take, four bands", items: million) {
    for number in 0..<million {
      queue.push(slot(number), in: PriorityBand(rawValue: UInt8(number & 3))!)
    }
    var sum: UInt32 = 0
    while let next = queue.take(now: { 0 }) { sum &+= next.site.line }
    precondition(sum > 0)
  }
  measure("ReadyQueue push, remove half, take the rest", items: million) {
    var positions: [Int] = []
    for number in 0..<million { positions.append(queue.push(slot(number), in: .medium)) }
    for index in stride(from: 0, to: million, by: 2) {
      _ = queue.remove(at: positions[index], in: .medium)
    }
    while queue.take(now: { 0 }) != nil {}
  }

  measure("DeadlineQueue insert and remove, 1 M", items: million) {
    var timers = DeadlineQueue<Slot>()
    var tickets: [DeadlineQueue<Slot>.Ticket] = []
    tickets.reserveCapacity(million)
    for number in 0..<million {
      tickets.append(timers.insert(slot(number), due: Int64(number &* 7919 % 1_000_003)))
    }
    for ticket in tickets { _ = timers.remove(ticket) }
  }
  var timers = DeadlineQueue<Slot>()
  for number in 0..<10_000 { timers.insert(slot(number), due: Int64(number)) }
  var time: Int64 = 10_000
  measure("DeadlineQueue pop and insert, 10 000 live", items: million) {
    for _ in 0..<million {
      let next = timers.popNext(dueBy: .max)!
      time += 1
      timers.insert(next.element, due: next.due + 9_999 + time & 15)
    }
  }
}
