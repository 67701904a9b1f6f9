package import Testing

extension ExitTest.Result {
  /// Whether the process wrote `text` to its standard error before it ended.
  package func said(_ text: String) -> Bool {
    String(decoding: standardErrorContent, as: UTF8.self).contains(text)
  }
}
