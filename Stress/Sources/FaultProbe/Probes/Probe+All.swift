extension Probe {
  static let all: [Probe] =
    refusedThreads + refusedResources + slowBodies + disturbedWorkloads + loadedLibrary
}
