// Reads a sensor on a worker every ten seconds, and keeps the readings on the loop's thread.
import TaskDispatch
import TaskDispatchTesting

struct Thermometer {
  let dispatcher: any TaskDispatcher
  let readings: Confined<[Double]>

  init(dispatcher: any TaskDispatcher) {
    self.dispatcher = dispatcher
    readings = Confined([], to: dispatcher.foreground)  // lives on the loop: it needs no lock
  }

  func start(read: @escaping @Sendable () -> Double) -> TimerHandle {
    dispatcher.background.every(.seconds(10), label: "read") { [dispatcher, readings] in
      let celsius = read()  // a worker, where it may take its time
      dispatcher.foreground.async(label: "keep") { readings.withValue { $0.append(celsius) } }
    }
  }
}

let dispatcher = RecordingDispatcher()  // in virtual time; a program makes a UVDispatcher
let thermometer = Thermometer(dispatcher: dispatcher)
let timer = thermometer.start { 21.5 }
try dispatcher.advanceTime(by: .seconds(30))  // takes no time at all
timer.cancel()
print("after \(dispatcher.now): \(thermometer.readings.withValue { $0 })")
