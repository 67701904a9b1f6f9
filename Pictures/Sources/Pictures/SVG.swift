internal import Foundation

/// The few shapes that the pictures are made of, each as text. Coordinates are in pixels, from the top left.
public enum SVG {
  /// A whole picture: `body` on a white ground.
  public static func picture(width: Double, height: Double, body: String) -> String {
    let (width, height) = (Int(width), Int(height))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="11">
      <rect width="100%" height="100%" fill="white"/>
      \(body)</svg>

      """
  }

  /// - Parameter anchor: Which end of the text is at `x`: `start`, `middle` or `end`.
  public static func text(
    _ text: String, x: Double, y: Double, size: Int = 11, anchor: String = "start",
    colour: String = "black"
  ) -> String {
    """
    <text x="\(number(x))" y="\(number(y))" font-size="\(size)" text-anchor="\(anchor)" \
    fill="\(colour)">\(escaped(text))</text>

    """
  }

  /// A thin grey line.
  public static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    """
    <line x1="\(number(x1))" x2="\(number(x2))" y1="\(number(y1))" y2="\(number(y2))" \
    stroke="#dddddd"/>

    """
  }

  /// A bar with a title, which a viewer shows where the mouse rests.
  public static func bar(
    x: Double, y: Double, width: Double, height: Double, colour: String, title: String
  ) -> String {
    """
    <rect x="\(number(x))" y="\(number(y))" width="\(number(width))" height="\(number(height))" \
    fill="\(colour)"><title>\(escaped(title))</title></rect>

    """
  }

  /// A line through all points.
  public static func polyline(
    _ points: [(x: Double, y: Double)], colour: String, width: Double
  ) -> String {
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
