import Foundation

/// The few shapes that the pictures are made of.
enum SVG {
  /// The colour of a contestant, which every picture shares.
  static func colour(of contestant: String) -> String {
    switch contestant {
    case Contestant.ours: "#1f77b4"
    case _ where contestant.hasPrefix("NIO"): "#ff7f0e"
    case "Dispatch main": "#98df8a"
    case "Dispatch global": "#bcbd22"
    case _ where contestant.hasPrefix("Dispatch"): "#2ca02c"
    case "actor", "Task.detached": "#9467bd"
    case "OperationQueue": "#d62728"
    case "C": "#7f7f7f"
    case _ where contestant.hasPrefix("C "): "#c7c7c7"
    default: "#8c564b"
    }
  }

  static func text(
    _ text: String, x: Double, y: Double, size: Int = 11, anchor: String = "start",
    colour: String = "black"
  ) -> String {
    """
    <text x="\(number(x))" y="\(number(y))" font-size="\(size)" text-anchor="\(anchor)" \
    fill="\(colour)">\(escaped(text))</text>

    """
  }

  static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    """
    <line x1="\(number(x1))" x2="\(number(x2))" y1="\(number(y1))" y2="\(number(y2))" \
    stroke="#dddddd"/>

    """
  }

  /// A bar with a title, which a viewer shows where the mouse rests.
  static func bar(
    x: Double, y: Double, width: Double, height: Double, colour: String, title: String
  ) -> String {
    """
    <rect x="\(number(x))" y="\(number(y))" width="\(number(width))" height="\(number(height))" \
    fill="\(colour)"><title>\(escaped(title))</title></rect>

    """
  }

  static func polyline(_ points: [(x: Double, y: Double)], colour: String, width: Double) -> String
  {
    let places = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    return """
      <polyline fill="none" stroke="\(colour)" stroke-width="\(number(width))" points="\(places)"/>

      """
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
