import Testing

@testable import Spool

@Suite("The program")
struct RunTests {
  /// Makes a tree with names of every kind.
  private static let tree = """
    mkdir -p spool/{a,b/c,'with space',$'\\xff\\xfe'}; cd spool
    for n in {1..150}; do head -c $((n * 997 % 20000)) /dev/urandom >"b/$n"; done
    cp b/7 $'a/line\\nend'; cp b/8 'a/back\\slash'; cp b/9 $'with space/\\r'; cp b/10 $'\\xff\\xfe/\\xf0'
    : >b/c/none; cp b/11 -- -; ln -s b link; head -c 3000000 /dev/urandom >large; cd ..
    """

  @Test("agrees with find and sha256sum, prints a summary, and ends well")
  func agrees() throws {
    let scratch = Scratch()
    let run = try Program(
      "\(Self.tree); spoold --once --spool spool --manifest manifest", in: scratch)

    #expect(run.status == 0)
    #expect(run.complaints == [])
    let form =
      #/157 files, [0-9]+ bytes in [0-9]+\.[0-9]{2} s, [0-9.]+ MB/s; 0 unchanged, 0 gone, 0 failed\n/#
    #expect(run.output.wholeMatch(of: form) != nil, "\(run.output)")
    let check = try Program(
      """
      cd spool; find . -type f ! -path ./- -printf '%P\\0' | xargs -0 sha256sum -- >../expected
      sha256sum ./- >>../expected; cmp <(sort ../expected) <(sort ../manifest)
      sha256sum -c --quiet --strict ../manifest
      """, in: scratch)
    #expect(check.status == 0)
    #expect(check.complaints == [])
  }

  @Test("continues: reads only what is new, and says what it did not read")
  func continues() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      mkdir spool; touch spool/{a,b,c}; spoold --once --spool spool --manifest m >/dev/null
      echo d >spool/d; echo b >spool/b; rm spool/c; spoold --once --spool spool --manifest m
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.output.hasPrefix("2 files, 4 bytes in "))
    #expect(run.output.hasSuffix("; 1 unchanged, 1 gone, 0 failed\n"))
  }

  @Test("takes names that are no UTF-8 for the spool and the manifest")
  func takesRawNames() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      mkdir $'sp\\xff' $'\\xf0\\x9f'; echo a >$'sp\\xff/a'
      spoold --once --spool $'sp\\xff' --manifest=$'\\xf0\\x9f/\\xfe\\xc3' >/dev/null
      wc -l <$'\\xf0\\x9f/\\xfe\\xc3'
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.complaints == [])
    #expect(run.output == "1\n")
  }

  @Test("shows a bar on a terminal, and takes it away again")
  func showsABar() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      mkdir spool; for n in {1..40}; do truncate -s 25000000 spool/$n; done; export TERM=xterm
      script -qec "'$0' --once --spool spool --manifest m" /dev/null
      """, in: scratch)

    #expect(run.status == 0)
    let shown = run.output.split(separator: "\r").map(String.init)
    #expect(shown.contains { $0.contains(#/\[=*>? *\] +[0-9]+%  [0-9]+ files/#) }, "\(run.output)")
    #expect(run.output.contains("\u{1B}[K40 files, 1000000000 bytes in "))
  }

  @Test("keeps few descriptors open, however many files there are and however many workers")
  func keepsFewDescriptors() throws {
    let scratch = Scratch()
    let run = try Program(
      """
      mkdir -p spool/{1..50}/{1..4}; for d in spool/*/*; do touch $d/{1..5}; done
      ulimit -n 64; UV_THREADPOOL_SIZE=16 spoold --once --spool spool --manifest m
      """, in: scratch)

    #expect(run.status == 0)
    #expect(run.output.hasPrefix("1000 files"))
  }
}
