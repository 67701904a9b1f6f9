// What a test did, as a file that Perfetto's viewer opens.
import Foundation
import TaskDispatch
import TaskDispatchTesting

let dispatcher = RecordingDispatcher(.init(width: 2))
let disk = dispatcher.makeQueue(label: "disk", width: 1)

for number in 1...3 {
  dispatcher.foreground.after(.microseconds(number), label: "request \(number)") {
    dispatcher.background.async(label: "decode \(number)") {
      disk.async(label: "save \(number)") {
        dispatcher.foreground.async(label: "answer \(number)") {}
      }
    }
  }
}
try dispatcher.advanceTime(by: .microseconds(10))

let trace = dispatcher.recording().trace
try Data(trace).write(to: URL(fileURLWithPath: "test.perfetto-trace"))
print("open test.perfetto-trace in https://ui.perfetto.dev (\(trace.count) bytes)")
