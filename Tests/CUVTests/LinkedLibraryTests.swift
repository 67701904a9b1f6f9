import CUV
import Testing

@Suite("The CUV module")
struct LinkedLibraryTests {
  @Test("links a libuv that is 1.44 or newer")
  func linksSupportedLibrary() {
    let oldestSupported: CUnsignedInt = 1 << 16 | 44 << 8

    let linked = uv_version()

    #expect(
      linked >= oldestSupported, "linked: libuv \(unsafe String(cString: uv_version_string()))")
  }
}
