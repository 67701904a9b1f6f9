/// How a binary that holds every bug is told which of them it has.
public enum Switchboard {
  /// The environment variable, read once by each process. Without it there is none.
  public static let variable = "PLANTED_BUG"

  static func call(_ number: Int) -> String { "hasPlantedBug(\(number))" }

  /// A source file that every target with planted bugs needs.
  public static let source = """
    internal import Glibc

    @usableFromInline let plantedBug: Int = {
      guard let text = unsafe getenv("\(variable)") else { return 0 }
      return unsafe Int(String(cString: text)) ?? 0
    }()

    @usableFromInline func hasPlantedBug(_ number: Int) -> Bool { plantedBug == number }

    /// Long enough for any thread that can come in between to do so.
    @usableFromInline func holdWindowOpen() { usleep(50_000) }

    """
}
