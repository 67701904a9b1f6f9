import Testing

@Suite("The program under a service manager")
struct SystemdTests {
  /// Starts the program as systemd does. `heard TEXT COUNT` waits until the program has sent TEXT so
  /// often.
  private static let preamble = """
    poll() { for _ in {1..1000}; do if eval "$1"; then return; fi; read -rt 0.02 <> <(:); done; return 1; }
    cat >manager.py <<'END'
    import os, socket
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); manager.bind("manager")
    log = open("heard", "a")
    while True:
        log.write(manager.recv(65536).decode() + "\\n"); log.flush()
    END
    cat >activate.py <<'END'
    import os, socket, sys
    status = socket.socket(socket.AF_UNIX); status.bind("s"); status.listen()
    os.dup2(status.fileno(), 3); os.set_inheritable(3, True); os.environ["LISTEN_PID"] = str(os.getpid())
    os.execv(sys.argv[1], sys.argv[1:])
    END
    heard() { poll "[ \\$(grep -c '^$1' heard) -ge $2 ]"; }
    : >heard; mkdir spool; echo a >spool/a
    python3 manager.py & manager=$!
    trap 'kill $manager' EXIT
    poll '[ -S manager ]' || exit 80
    export NOTIFY_SOCKET="$PWD/manager" WATCHDOG_USEC=100000
    spoold() { exec "$0" "$@"; }
    ask() { python3 -c '
    import socket, sys
    client = socket.socket(socket.AF_UNIX); client.connect("s")
    client.sendall(sys.argv[1].encode() + b"\\n"); print(client.makefile().readline(), end="")' "$1"; }
    """

  @Test("says when it is ready, that it is alive, when it reloads, and when it ends")
  func notifies() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      spoold --spool spool --manifest m & pid=$!
      heard READY=1 1 || exit 90; heard 'STATUS=keeping the manifest' 1 || exit 91
      heard WATCHDOG=1 3 || exit 92
      kill -HUP $pid; heard RELOADING=1 1 || exit 93; heard READY=1 2 || exit 94
      grep -A1 RELOADING=1 heard | grep -qE '^MONOTONIC_USEC=[0-9]+$' || exit 95
      kill -TERM $pid; wait $pid || exit 96
      heard STOPPING=1 1 || exit 97; heard EXTEND_TIMEOUT_USEC=21000000 1 || exit 98
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.complaints == [])
  }

  @Test("answers at the socket that was opened for it, and leaves it where it is")
  func activated() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      export LISTEN_FDS=1 LISTEN_FDNAMES=status
      python3 activate.py "$0" --spool spool --manifest m & pid=$!
      heard READY=1 1 || exit 90
      ask '{"request":"status"}'
      kill -TERM $pid; wait $pid || exit 91; [ -S s ] || exit 92
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.complaints == [])
    #expect(run.output.contains(#"{"ok":true,"#))
  }

  @Test("says why nothing answers if the socket was passed to the script that has started it")
  func passedToWrapper() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      export LISTEN_FDS=1
      python3 activate.py /bin/bash -c '"$0" "$@"; exit $?' "$0" --spool spool --manifest m & pid=$!
      heard READY=1 1 || exit 90
      kill -TERM $(cat /proc/$pid/task/$pid/children); wait $pid
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.complaints.count == 1)
    let sentence =
      "the sockets that were passed are not used, and their clients wait; a script that"
    #expect(run.complaints.first?.contains(sentence) == true, "\(run.complaints)")
  }

  @Test(
    "an environment that makes no sense is said in one line",
    arguments: [
      ("WATCHDOG_USEC=soon", #"WATCHDOG_USEC is "soon": it must be a number of microseconds"#),
      ("NOTIFY_SOCKET=run", #"NOTIFY_SOCKET is "run": it must be an absolute path"#),
    ])
  func senseless(_ assignment: String, _ complaint: String) throws {
    let scratch = Scratch()
    let run = try Program(
      "mkdir spool; \(assignment) spoold --spool spool --manifest m", in: scratch)

    #expect(run.status == 2)
    #expect(run.complaints.count == 1)
    #expect(run.complaints.first?.hasPrefix("spoold: \(complaint)") == true, "\(run.complaints)")
  }
}
