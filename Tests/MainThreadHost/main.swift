// Runs one of the programs below on the main thread. Exits with 0 if all that the program expects came true;
// otherwise it prints what did not, and exits with 1.
import Glibc

var programs: [String: () throws -> Void] = [
  "hops": hops,
  "idle": idle,
  "language": language,
  "foreground": foreground,
  "timers": timers,
  "waiting": waitingBefore,
  "awaiter": awaiterOfTheEnd,
  "unserved-awaiter": unservedAwaiter,
  "late": postedAtTheEnd,
  "unserved": unserved,
  "elsewhere": elsewhere,
  "until-idle": untilIdle,
  "endless": endless,
  "no-descriptors": noDescriptors,
  "inside": insideOfABlock,
  "inside-wake": wokenInsideOfABlock,
  "inside-awaiter": awaitedInsideOfABlock,
  "stall": stall,
  "another-loop": anotherLoop,
  "late-job": lateJobOfTheForeground,
  "late-job-awaiter": awaiterBehindALateJob,
  "masks": masks,
  "masks-while-threads-are-made": masksWhileThreadsAreMade,
]

#if DEBUG
  programs["handed-on"] = handedOn
#endif

let name = CommandLine.arguments.dropFirst().first ?? ""
guard let program = programs[name] else {
  print("which program? \(programs.keys.sorted().joined(separator: ", "))")
  exit(64)
}
// A program that hangs must not outlive the test that gave up waiting for it.
alarm(60)
try program()
print(Failures.all.isEmpty ? "ok" : Failures.all.joined(separator: "\n"))
exit(Failures.all.isEmpty ? 0 : 1)
