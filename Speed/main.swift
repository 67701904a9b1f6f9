// Without arguments: everything. With "profile": one case, for a profiler.
if CommandLine.arguments.contains("profile") {
  try profileSteps()
} else {
  measurePolicy()
  try measureSteps()
}
