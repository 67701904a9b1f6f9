import Testing

/// Everything that may hold threads of libuv's pool. The process has one pool, and tests that hold
/// its threads at gates beside each other would wait for each other for ever: so one at a time.
@Suite("UVDispatcher", .serialized)
struct OnePool {}
