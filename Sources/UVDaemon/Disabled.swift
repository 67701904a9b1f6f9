#if !Daemon
  /// In the trait `Daemon` of this package, which is off unless it is asked for.
  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public enum Daemon {}
#endif
