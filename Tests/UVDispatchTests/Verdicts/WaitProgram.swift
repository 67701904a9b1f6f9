/// A small program whose bodies wait for each other: what a ``Stage`` runs and a ``WaitChecker`` checks.
struct WaitProgram: Sendable, Equatable {
  struct Body: Sendable, Equatable {
    var queue: Int
    var isBarrier = false
    var group: Int?
    /// Whether it is submitted for a handle that other bodies can wait for. Without a handle and a group it is
    /// a plain body.
    var hasHandle = true
    var script: [WaitStep] = []
  }

  /// The seed decides in which order the driver opens gates.
  var seed: Int
  var workers: Int
  /// The widths of the views: queue 0 is the foreground, 1 the background, 2 the first view.
  var views: [Int]
  var groups: Int
  var bodies: [Body]
  /// The scripts of threads outside the dispatcher.
  var outsiders: [[WaitStep]]

  static let foreground = 0
  static let background = 1

  static func name(ofQueue queue: Int) -> String {
    switch queue {
    case foreground: "foreground"
    case background: "background"
    default: "v\(queue - 2)"
    }
  }
}
