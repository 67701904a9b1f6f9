// The smallest daemon: a dispatcher, a foreground task, a background task, and an end. With the
// argument `idle` it prints how many bytes stay resident when it has nothing to do.
internal import Glibc
internal import UVDispatch

let dispatcher = try UVDispatcher(.init(label: "hello"))
let waits = CommandLine.arguments.dropFirst().first == "idle"

dispatcher.background { [dispatcher] in
  dispatcher.foreground {
    if !waits { return dispatcher.beginShutdown() }
    dispatcher.foreground.after(.milliseconds(200)) {
      print(residentBytes(), terminator: "")
      dispatcher.beginShutdown()
    }
  }
}
dispatcher.run()

/// The second figure of /proc/self/statm is the resident size, in pages.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "re") else { return -1 }
  defer { fclose(file) }
  var text = [CChar](repeating: 0, count: 128)
  guard fgets(&text, Int32(text.count), file) != nil else { return -1 }
  let line = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
  return (Int(line.split(separator: " ")[1]) ?? -1) * sysconf(Int32(_SC_PAGESIZE))
}
