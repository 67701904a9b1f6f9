// Without arguments: everything. With "profile N": one case N thousand times, for a profiler.
let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "profile", let batches = Int(arguments[2]) {
  try profileSteps(batches: batches)
} else {
  measurePolicy()
  try measureSteps()
}
