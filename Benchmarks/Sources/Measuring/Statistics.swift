/// Statistics of repeated measurements.
public enum Statistics {
  /// The middle value, or the mean of the middle two. Traps if there is no value.
  public static func median(_ values: [Double]) -> Double {
    precondition(!values.isEmpty, "nothing was measured")
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The least value that at least `percent` of a hundred values do not exceed.
  public static func percentile(_ percent: Double, of values: [Double]) -> Double {
    precondition(!values.isEmpty, "nothing was measured")
    let rank = (percent / 100 * Double(values.count)).rounded(.up)
    return values.sorted()[max(0, min(values.count, Int(rank)) - 1)]
  }

  /// How far the middle half is apart, as a share of the median. 0 if all values are equal.
  public static func spread(_ values: [Double]) -> Double {
    let middle = median(values)
    guard middle > 0 else { return 0 }
    return (percentile(75, of: values) - percentile(25, of: values)) / middle
  }
}
