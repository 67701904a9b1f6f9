import TaskDispatch

/// Durations of every kind: both ends of what a duration can be, both ends of what a dispatcher counts, and
/// some between.
let everyDuration: [Duration] = [
  Duration(attoseconds: .min), .seconds(Int64.min), .nanoseconds(Int64.min), .seconds(-1),
  .nanoseconds(-1), Duration(attoseconds: -1), .zero, Duration(attoseconds: 1), .nanoseconds(1),
  .milliseconds(1), .seconds(3600), .nanoseconds(Int64.max / 2 + 1), .nanoseconds(Int64.max),
  .seconds(Int64.max), Duration(attoseconds: .max),
]

/// The durations above zero.
let everyPositiveDuration = everyDuration.filter { $0 > .zero }

/// Instants of every kind.
let everyInstant: [DispatcherInstant] = [
  Int64.min, .min + 1, -1_000_000, -1, 0, 1, 1_000_000, .max - 1, .max,
].map { DispatcherInstant(nanoseconds: $0) }
