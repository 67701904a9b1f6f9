// Without arguments: everything. With "profile NAME N": one case N times, for a profiler.
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "profile", let count = Int(arguments[3]) {
  switch arguments[2] {
  case "foreground": try profileSteps(batches: count, onBackground: false)
  case "background": try profileSteps(batches: count, onBackground: true)
  case "push": profilePush(count: count)
  case "call": profilePlainCall(count: count)
  case "explore": try explorePlain(count)
  case "explore-tasks": try exploreTasks(count)
  case "uv-foreground": try profileReal(batches: count, onBackground: false)
  case "uv-background": try profileReal(batches: count, onBackground: true)
  case "uv-timers": try profileTimers(rounds: count)
  case "uv-cancel": try profileCancelling(rounds: count, onBackground: false)
  case "uv-cancel-view": try profileCancelling(rounds: count, onBackground: true)
  case "uv-sync": try profileSync(count: count)
  case "uv-yield": try profileYield(count: count)
  case "uv-view": try profileView(batches: count)
  default:
    fatalError(
      "the cases are foreground, background, push, call, explore, explore-tasks, uv-foreground, "
        + "uv-background, uv-timers, uv-cancel, uv-cancel-view, uv-sync, uv-yield and uv-view; not \(arguments[2])"
    )
  }
} else {
  measurePolicy()
  try measureSteps()
  try measureExplorations()
}
