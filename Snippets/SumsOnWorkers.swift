// Adds up numbers on workers, keeps the sums on the loop's thread, and ends.
import UVDispatch

let dispatcher = try UVDispatcher()
let sums = Confined([Int](), to: dispatcher.foreground)
let group = WorkGroup()

for count in [1_000, 10_000, 100_000] {
  dispatcher.background.async(group: group) {
    let sum = (1...count).reduce(0, +)  // a worker of libuv's pool
    dispatcher.foreground.async(group: group) { sums.withValue { $0.append(sum) } }
  }
}
group.notify(on: dispatcher.foreground) { dispatcher.beginShutdown() }

let report = dispatcher.run()  // this thread is the foreground until the shutdown is over
print(sums.takeValue().sorted(), report)
