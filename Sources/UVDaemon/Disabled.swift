#if !Daemon
  // Stands in for what the trait `Daemon` of this package adds, which is off by default. Each name is here, with the
  // members that a program uses first. Without them the compiler would only say that there is no such type or member,
  // and not why.

  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public final class Daemon<Dispatcher> {
    public init(
      _ dispatcher: Dispatcher, shutdown policy: Any? = nil, secondSignalAfter: Duration = .zero,
      reloadTimeout: Duration = .zero, manager: ServiceManager? = nil, logger: Any
    ) { fatalError() }
  }

  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public struct LoggingObserver {
    public init(_ logger: Any) { fatalError() }
  }

  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public struct MetricsObserver {
    public init(dispatcher name: String, factory: Any? = nil) { fatalError() }
  }

  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public struct TaskObservers {
    public init(_ observers: Any...) { fatalError() }
  }

  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public struct ServiceManager {
    public static var absent: ServiceManager { fatalError() }
    public static func current() throws -> ServiceManager { fatalError() }
  }

  @available(
    *, unavailable,
    message: "UVDaemon needs the trait: .package(url: …, from: …, traits: [\"Daemon\"])"
  )
  public struct EnvironmentError: Error {
    public init(variable: String, value: String, expected: String) { fatalError() }
  }
#endif
