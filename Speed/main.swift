// Without arguments: everything. With "profile NAME N": one case N times, for a profiler.
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "profile", let count = Int(arguments[3]) {
  switch arguments[2] {
  case "steps": try profileSteps(batches: count)
  case "push": profilePush(count: count)
  case "call": profilePlainCall(count: count)
  default: fatalError("the cases are steps, push and call; not \(arguments[2])")
  }
} else {
  measurePolicy()
  try measureSteps()
}
