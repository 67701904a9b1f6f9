/// Durations in nanoseconds. They were measured on the machine of the README, where that was possible.
/// How long a cache line takes between cores is what vendors and others report for one socket.
struct Costs {
  /// A cache line on its way from one core to another.
  var transfer = 60.0
  /// What a producer does between two posts, and under the inbox's lock.
  var preparing = 60.0
  var posting = 25.0
  /// What a worker does under the dispatcher's lock: from one body to the next, and to drain the inbox.
  var taking = 65.0
  var collecting = 60.0
  /// How long a thread spins at a lock before it sleeps.
  var looking = 1_000.0
  /// How long a thread takes to go to sleep; a waking thread for its call, and for each thread that it
  /// wakes; a woken thread until it is awake.
  var falling = 1_500.0
  var waking = 1_500.0
  var wakingEach = 300.0
  var awaking = 15_000.0
}

/// What could be done in another way.
struct Design {
  /// Whether an unlock wakes one sleeping thread, and not all of them.
  var wakesOne = false
  /// How many plain bodies a worker takes at a time, at most, if there are more bodies than workers.
  var takes = 1
}
