import Testing

/// All tests that may hold threads of libuv's pool. The process has one pool. Two tests that hold its threads
/// at gates at the same time would wait for each other for ever, so these tests run one at a time.
@Suite("UVDispatcher", .serialized)
struct OnePool {}
