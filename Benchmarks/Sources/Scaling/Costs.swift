/// What things take, in nanoseconds. Measured on the machine of the README, where they could be; the
/// way of a line between cores is what vendors and others report for one socket.
struct Costs {
  /// A cache line on its way from one core to another.
  var transfer = 60.0
  /// What a producer does between two posts, and under the inbox's lock.
  var preparing = 60.0
  var posting = 25.0
  /// What a worker does under the dispatcher's lock from one body to the next, and to empty the inbox.
  var taking = 65.0
  var collecting = 60.0
  /// For how long a thread looks at a lock before it sleeps.
  var looking = 1_000.0
  /// To go to sleep; to wake others, for whoever does it; and until they are awake.
  var falling = 1_500.0
  var waking = 1_500.0
  var wakingEach = 300.0
  var awaking = 15_000.0
}

/// What could be done another way.
struct Design {
  /// Of those who sleep for a lock, one is woken, and not all.
  var wakesOne = false
  /// How many plain bodies a worker takes at a go, at most, if there are more than workers.
  var takes = 1
}
