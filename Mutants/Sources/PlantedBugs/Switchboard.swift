/// How a binary that holds every bug is told which of them it has.
public enum Switchboard {
  /// The environment variable, read once by each process. Without it there is none.
  public static let variable = "PLANTED_BUG"

  static func call(_ number: Int) -> String { "hasPlantedBug(\(number))" }

  /// What a file is written in, of which a target with planted bugs needs one more. In C, bugs change
  /// expressions only.
  public enum Language: Sendable {
    case swift, c

    public init(of file: String) { self = file.hasSuffix(".swift") ? .swift : .c }

    /// The name of that file.
    public var board: String { self == .swift ? "Switchboard.swift" : "Switchboard.h" }

    /// What a file with bugs in it begins with.
    public var prelude: String { self == .swift ? "" : "#include \"Switchboard.h\"\n" }

    public var source: String { self == .swift ? Switchboard.source : Switchboard.header }
  }

  private static let header = """
    #pragma once
    #include <stdlib.h>

    static inline int hasPlantedBug(int number) {
      const char *text = getenv("\(variable)");
      return text && atoi(text) == number;
    }

    """

  private static let source = """
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
