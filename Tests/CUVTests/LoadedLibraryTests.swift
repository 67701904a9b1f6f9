import CUV
import Testing

@Suite("The libuv that this program runs with")
struct LoadedLibraryTests {
  @Test("is the one whose header it was compiled with")
  func isTheOneOfTheHeader() {
    let compiled = "\(UV_VERSION_MAJOR).\(UV_VERSION_MINOR).\(UV_VERSION_PATCH)"

    let loaded = unsafe String(cString: uv_version_string())

    // `scripts/check --libuv` looks for this line.
    print("\nlinked: libuv \(loaded)")
    #expect(loaded == compiled)
  }
}
