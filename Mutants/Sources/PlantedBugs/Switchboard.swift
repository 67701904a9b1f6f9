/// How a binary that contains every bug is told which one is switched on.
public enum Switchboard {
  /// The environment variable, which each process reads once. Without it no bug is switched on.
  public static let variable = "PLANTED_BUG"

  static func call(_ number: Int) -> String { "hasPlantedBug(\(number))" }

  /// The language of a file. A target with planted bugs needs one more file in that language. In C,
  /// bugs change only expressions.
  public enum Language: Sendable {
    case swift, c

    public init(of file: String) { self = file.hasSuffix(".swift") ? .swift : .c }

    /// The name of that additional file.
    public var board: String { self == .swift ? "Switchboard.swift" : "Switchboard.h" }

    /// The text at the beginning of a file with bugs in it.
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

  /// The additional file of a target of the package Interleavings.
  public static var twin: String {
    source.replacing(
      "usleep(50_000)", with: "Simulation.shared.yield()"
    ).replacing("internal import Glibc", with: "internal import Glibc\ninternal import Scheduling")
  }

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
