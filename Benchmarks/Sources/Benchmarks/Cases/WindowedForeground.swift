import Measuring

extension Case {
  /// The loop's thread, with 1024 tasks in flight.
  static let windowedForeground = [1, 2, 4, 8].map { producers in
    let isDemanded = producers <= 4
    let row = Row(
      "fg win 1024 P=\(producers)",
      demanded: isDemanded
        ? [
          .timesFaster(2, than: "NIO"), .timesFaster(2.5, than: "Dispatch"), .within(1.25, of: "C"),
        ]
        : [],
      goal: isDemanded ? [.timesFaster(3, than: "NIO"), .timesFaster(4, than: "Dispatch")] : [])
    return Case(row.name, rows: [row]) { effort in
      var subjects: [(String, any Subject)] = [
        (Contestant.ours, try UVForeground()), ("C", CMailbox()), ("NIO", NIOLoop()),
        ("Dispatch", DispatchSubject.serial),
      ]
      if producers == 1 {
        subjects += [("Dispatch main", DispatchSubject.main), ("actor", ActorSubject())]
      }
      return Throughput(producers: producers).contestants(subjects, effort) + [.floor]
    }
  }
}
