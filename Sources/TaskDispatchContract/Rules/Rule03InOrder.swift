internal import TaskDispatch
internal import TaskDispatchTesting

extension DispatcherContract {
  /// Rule 3. What was submitted first is taken first, within one queue and band.
  static let inOrder: [Rule] = [
    Rule(3, "plain bodies of the foreground run in the order of submission") { scene in
      try runsInOrder(scene, scene.foreground, [.plain])
    },
    Rule(3, "plain bodies run in order without an observer", width: 1, isObserved: false) {
      scene in
      try runsInOrder(scene, scene.foreground, [.plain])
      try runsInOrder(scene, scene.background, [.plain])
    },
    Rule(3, "every form that stands in line keeps the order on the foreground") { scene in
      try runsInOrder(scene, scene.foreground, Form.queued)
    },
    Rule(3, "every form that stands in line keeps the order at width 1", width: 1) { scene in
      try runsInOrder(scene, scene.background, Form.queued)
      try runsInOrder(scene, scene.makeQueue(1), Form.queued)
    },

    Rule(3, "jobs of Tasks stand in line with bodies", width: 1) { scene in
      for queue in [scene.foreground, scene.background, scene.makeQueue(1)] {
        let ran = Latch(3)
        try scene.hold {
          queue {
            scene.note("\(queue) before")
            ran.open()
          }
          scene.task(on: queue) {
            scene.note("\(queue) job")
            ran.open()
          }
          queue {
            scene.note("\(queue) after")
            ran.open()
          }
        }

        try scene.reach(ran, "both bodies and the job run")
        scene.expect(
          "order on \(queue)", scene.notes.suffix(3),
          is: ["\(queue) before", "\(queue) job", "\(queue) after"])
      }
    },

    Rule(3, "the foreground has one order, whatever the priorities") { scene in
      let ran = Latch(8)
      try scene.hold {
        for (number, priority) in [PriorityBand.lowest, .low, .medium, .high].enumerated() {
          scene.foreground.async(priority: priority) {
            scene.note("\(number)")
            ran.open()
          }
          scene.foreground {
            scene.note("\(number)")
            ran.open()
          }
        }
      }

      try scene.reach(ran, "all of them run")
      scene.expectNotes(["0", "0", "1", "1", "2", "2", "3", "3"], "the order of submission")
    },

    Rule(3, "wider than one, no more are overtaken than run beside each other") { scene in
      for queue in [scene.background, scene.makeQueue(2)] {
        let width = queue.view?.width ?? 3
        let ended = Box(Set<Int>())
        let ran = Latch(60)
        try scene.hold {
          for number in 0..<60 {
            queue {
              let ahead = ended.change { ended in number - ended.count { $0 < number } }
              scene.expect(
                ahead < width, "fewer than \(width) before number \(number) have not ended",
                "\(ahead) on \(queue)")
              _ = ended.change { $0.insert(number) }
              ran.open()
            }
          }
        }

        try scene.reach(ran, "all of them run")
      }
    },

    Rule(3, "cancelling some does not disturb the order of the others") { scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let ran = Latch(50)
        let order = Box<[Int]>([])
        try scene.hold {
          let handles = (0..<100).map { number in
            queue.submit {
              order.change { $0.append(number) }
              ran.open()
            }
          }
          for number in stride(from: 0, to: 100, by: 2) { handles[(number * 37) % 100].cancel() }
        }

        try scene.reach(ran, "those that were not cancelled run")
        try scene.runUntilIdle()
        scene.expect("order on \(queue)", order.value, is: Array(stride(from: 1, to: 100, by: 2)))
      }
    },

    Rule(3, "what one thread submits after it saw another submit is taken later", needs: .threads) {
      scene in
      for queue in [scene.foreground, scene.makeQueue(1)] {
        let round = Box(0)
        let order = Box<[Int]>([])
        let ran = Latch(200)
        @Sendable func post(_ parity: Int) {
          while true {
            let isOver = round.change { round -> Bool in
              guard round < 200 else { return true }
              guard round % 2 == parity else { return false }
              let number = round
              queue {
                order.change { $0.append(number) }
                ran.open()
              }
              round += 1
              return false
            }
            if isOver { return }
          }
        }

        let other = scene.background.submit(label: "the other thread") { post(1) }
        post(0)
        _ = try scene.outcome(of: other)
        try scene.reach(ran, "all of them run")

        scene.expect("order on \(queue)", order.value, is: Array(0..<200))
      }
    },
  ]

  private static func runsInOrder(_ scene: Scene, _ queue: TaskQueue, _ forms: [Form]) throws {
    let order = Box<[Int]>([])
    let ran = Latch(100)
    try scene.hold {
      for number in 0..<100 {
        forms[(number * 7) % forms.count].submit(scene, queue) {
          order.change { $0.append(number) }
          ran.open()
        }
      }
    }

    try scene.reach(ran, "all of them run")
    scene.expect("order on \(queue)", order.value, is: Array(0..<100))
  }
}
