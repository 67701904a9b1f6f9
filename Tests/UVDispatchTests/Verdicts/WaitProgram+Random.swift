import TestSupport

extension WaitProgram {
  /// The program of `seed`.
  init(seed: Int) {
    var dice = Dice(seed: seed)
    self.init(
      seed: seed, workers: 1 + dice.roll(3),
      views: (0...dice.roll(4)).map { _ in 1 + dice.roll(3) },
      groups: dice.roll(3), bodies: [], outsiders: [])
    let count = 2 + dice.roll(7)
    for _ in 0..<count {
      let hasGroup = groups > 0 && dice.once(in: 3)
      bodies.append(
        Body(
          queue: rollQueue(&dice), isBarrier: dice.once(in: 6),
          group: hasGroup ? dice.roll(groups) : nil, hasHandle: !dice.once(in: 5)))
    }
    // The first tasks are submitted from outside, the others by steps of scripts.
    let early = 1 + dice.roll(count)
    var late = Array(early..<count)
    for body in 0..<count { bodies[body].script = rollScript(2, &late, &dice) }
    outsiders = (0...dice.roll(2)).map { _ in [] }
    for body in 0..<early {
      if dice.once(in: 4) { outsiders[0].append(rollOutsideStep(&late, &dice)) }
      outsiders[0].append(.submit(task: body))
    }
    for outsider in outsiders.indices {
      for _ in 0..<dice.roll(3) { outsiders[outsider].append(rollOutsideStep(&late, &dice)) }
    }
    outsiders[0] += late.map { .submit(task: $0) }
  }

  private func rollQueue(_ dice: inout Dice) -> Int {
    switch dice.roll(8) {
    case 0, 1: Self.foreground
    case 2, 3: Self.background
    default: rollView(&dice)
    }
  }

  private func rollView(_ dice: inout Dice) -> Int { 2 + dice.roll(views.count) }

  private func rollScript(_ depth: Int, _ late: inout [Int], _ dice: inout Dice) -> [WaitStep] {
    let length = depth == 2 ? dice.roll(4) : dice.roll(3)
    return (0..<length).map { _ in rollStep(depth, &late, &dice) }
  }

  private func rollStep(_ depth: Int, _ late: inout [Int], _ dice: inout Dice) -> WaitStep {
    let isTimed = dice.once(in: 12)
    switch dice.roll(30) {
    case 0..<8 where depth > 0:
      return .sync(
        queue: rollQueue(&dice), isBarrier: dice.once(in: 6), rollScript(depth - 1, &late, &dice))
    case 8..<15: return .waitForTask(dice.roll(bodies.count), isTimed: isTimed)
    case 15..<18 where groups > 0: return .waitForGroup(dice.roll(groups), isTimed: isTimed)
    case 18..<21 where !late.isEmpty: return .submit(task: late.removeFirst())
    case 21..<23 where !late.isEmpty:
      return .startTimer(task: late.removeFirst(), milliseconds: 1 + dice.roll(4))
    case 23: return .suspend(queue: rollView(&dice))
    case 24: return .resume(queue: rollView(&dice))
    case 25 where groups > 0: return .enter(group: dice.roll(groups))
    case 26 where groups > 0: return .leave(group: dice.roll(groups))
    case 27 where depth > 0 && groups > 0:
      return .whenEmpty(group: dice.roll(groups), rollScript(depth - 1, &late, &dice))
    case 28 where depth > 0:
      return .whenEnded(task: dice.roll(bodies.count), rollScript(depth - 1, &late, &dice))
    default: return .waitForTask(dice.roll(bodies.count), isTimed: isTimed)
    }
  }

  private func rollOutsideStep(_ late: inout [Int], _ dice: inout Dice) -> WaitStep {
    switch dice.roll(8) {
    case 0, 1: .suspend(queue: rollView(&dice))
    case 2: .resume(queue: rollView(&dice))
    case 3 where groups > 0: .enter(group: dice.roll(groups))
    case 4 where groups > 0: .leave(group: dice.roll(groups))
    default: rollStep(2, &late, &dice)
    }
  }
}
