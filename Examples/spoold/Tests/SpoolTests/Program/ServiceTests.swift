import Testing

@testable import Spool

@Suite("The program as a daemon")
struct ServiceTests {
  /// Starts the program in the background, and defines helpers that poll with a limit.
  private static let preamble = """
    poll() { for _ in {1..1000}; do if eval "$1"; then return; fi; read -rt 0.02 <> <(:); done; return 1; }
    start() { spoold --spool spool --manifest m "$@" & pid=$!; }
    # Of the program itself: in the background, a function is a shell of its own.
    spoold() { exec "$0" "$@"; }
    finish() { kill -TERM $pid; wait $pid; }
    ask() { python3 -c '
    import socket, sys
    client = socket.socket(socket.AF_UNIX); client.connect("s")
    client.sendall(sys.argv[1].encode() + b"\\n"); print(client.makefile().readline(), end="")' "$1"; }
    """

  @Test("keeps a spool until SIGTERM ends it, and leaves nothing but the manifest")
  func keeps() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      mkdir spool; echo a >spool/a; start --status s
      poll '[ -S s ] && [ -s m ]' || exit 90
      mkdir -p spool/d/e; echo f >spool/d/e/f; echo b >spool/b; rm spool/a
      poll '[ "$(cut -c 67- m | sort | xargs)" = "b d/e/f" ]' || exit 91
      (cd spool && sha256sum -c --quiet --strict ../m) || exit 92
      ask '{"request":"status"}'; ask nonsense
      echo c >spool/c; finish || exit 93
      (cd spool && sha256sum -c --quiet --strict ../m) || exit 94
      [ $(wc -l <m) = 3 ] || exit 95; [ "$(ls | xargs)" = "m m.spoold spool" ] || exit 96
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.complaints == [])
    #expect(run.output.contains(#"{"ok":true,"state":"keeping","spool":"spool","manifest":"m","#))
    #expect(run.output.contains(#"{"ok":false,"error":"this is no request"#))
  }

  @Test("takes a line out when a file may not be read any more, and puts it back when it may")
  func followsRights() throws {
    let scratch = Scratch(runsPrograms: true)
    let run = try Program(
      """
      \(Self.preamble)
      cp "$0" program; chmod 777 .; mkdir spool; echo a >spool/a; echo b >spool/b
      drop=; [ $(id -u) != 0 ] || drop='setpriv --reuid=65534 --regid=65534 --clear-groups'
      spoold() { exec $drop ./program "$@" 2>errors; }
      start; poll '[ -f m ] && [ $(wc -l <m) = 2 ]' || exit 90
      chmod 0 spool/a; poll '[ "$(cut -c 67- m)" = b ]' || exit 91
      chmod 0 spool; poll 'grep -q "this directory" errors' || exit 92
      chmod 755 spool; cat errors >&2; chmod 644 spool/a; poll '[ $(wc -l <m) = 2 ]' || exit 93
      finish
      """, in: scratch)

    #expect(run.status == 0)
    #expect(
      run.complaints == [
        "spoold: a: Permission denied", "spoold: .: cannot read this directory: Permission denied",
      ])
  }

  @Test("says what it has not read when time is up, and ends with 1")
  func runsOutOfTime() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      mkdir spool; truncate -s 1T spool/large; start --drain 0s --status s
      poll '[ -S s ]' && poll 'ask "{\\"request\\":\\"status\\"}" | grep -q "reading\\":1"' || exit 90
      finish
      """, in: scratch)

    #expect(run.status == 1)
    #expect(run.complaints.count == 2)
    #expect(run.complaints.first?.contains("has not ended in 0 s: its Task is cancelled") == true)
    #expect(run.complaints.last == "spoold: left behind: 1 files not read: large")
  }

  @Test("ends at once on a second signal, however much time it was given")
  func endsAtOnce() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      mkdir spool; truncate -s 1T spool/large; start --drain 1h --status s
      poll '[ -S s ]' && poll 'ask "{\\"request\\":\\"status\\"}" | grep -q "reading\\":1"' || exit 90
      kill -TERM $pid; poll 'ask "{\\"request\\":\\"status\\"}" | grep -q draining' || exit 91
      # The first that comes a second later counts.
      poll 'kill -INT $pid 2>/dev/null; [ -z "$(jobs -rp)" ]' || exit 92; wait $pid
      """, in: scratch)

    #expect(run.status == 1)
    #expect(run.complaints.contains("spoold: left behind: 1 files not read: large"))
    #expect(run.complaints.contains { $0.contains("INT, a second request to end: shuts down now") })
  }

  @Test("cannot be started twice for one manifest, or one status socket")
  func isAlone() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      \(Self.preamble)
      mkdir spool; start --status s; poll '[ -S s ]' || exit 90
      (spoold --spool spool --manifest m --status t); echo $?
      (spoold --spool spool --manifest n --status s); echo $?
      finish
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.output == "2\n2\n")
    #expect(
      run.complaints == [
        "spoold: another process is at work on the manifest m",
        """
        spoold: cannot make the status socket s: another process listens there, or it is no socket; \
        choose another path
        """,
      ])
  }

  @Test("takes its configuration from a file, says what it comes to, and what is wrong with it")
  func isConfigured() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      printf 'spool = spool\\nmanifest = m\\nsettle = 5ms\\n' >good
      printf 'spool = spool\\nsetle = 5ms\\nsettle = 5\\n' >bad
      spoold --config good --settle 7ms --check-config; spoold --config bad
      """, in: scratch)

    #expect(run.status == 78)
    #expect(run.output.hasPrefix("spool = spool\nmanifest = m\ndrain = 10s\nsettle = 7ms\n"))
    #expect(
      run.complaints.map { $0.prefix(20) } == [
        "spoold: bad, line 2:", "spoold: bad, line 3:", "spoold: --manifest i",
      ])
  }
}
