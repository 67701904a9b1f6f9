extension Configuration {
  /// Combines what the command line and a file say. The command line wins.
  ///
  /// - Parameters:
  ///   - options: The options of the command line, as text; see ``ArgumentText``.
  ///   - file: The configuration file, if there is one. This initializer reads it, which may take a
  ///     while.
  /// - Throws: Everything that is wrong, not only the first.
  public init(options: [Setting: String], file path: BytePath?) throws(ConfigurationErrors) {
    var file: ConfigurationFile?
    if let path { file = try .read(path) }
    try self.init(options: options, file, path ?? BytePath(""))
  }

  init(
    options: [Setting: String], _ file: ConfigurationFile?, _ path: BytePath
  ) throws(ConfigurationErrors) {
    self.init(spool: BytePath(""), manifest: BytePath(""))
    var errors = file?.errors ?? []
    var places: [Setting: ConfigurationError.Place] = [:]
    func set(_ setting: Setting, _ text: String, _ place: ConfigurationError.Place) {
      places[setting] = place
      guard !setting.set(text, in: &self) else { return }
      let found = ConfigurationFile.shown(ArgumentText.path(text).bytes)
      errors.append(
        ConfigurationError(
          place: place, reason: "\(setting.name) is \(found); expected \(setting.form)"))
    }
    for entry in file?.entries ?? [] {
      set(entry.setting, entry.value, .file(path, line: entry.line))
    }
    for setting in Setting.allCases {
      if let text = options[setting] { set(setting, text, .option(setting.name)) }
    }
    for setting in [Setting.spool, .manifest] where places[setting] == nil {
      errors.append(
        ConfigurationError(
          place: .nowhere,
          reason: "--\(setting.name) is missing: \(setting.form), here or in the file of --config"))
    }
    if errors.isEmpty, keeper.settle > keeper.settleAtMost {
      let place = places[.settleAtMost] ?? places[.settle] ?? .nowhere
      errors.append(
        ConfigurationError(
          place: place,
          reason: """
            settle-at-most is \(DurationText.text(of: keeper.settleAtMost)), which is shorter than \
            settle, \(DurationText.text(of: keeper.settle))
            """))
    }
    guard errors.isEmpty else {
      // The sort is stable: errors of one line stay in the order in which they were found.
      throw ConfigurationErrors(all: errors.sorted { $0.line < $1.line })
    }
  }

  /// The lines of a configuration file that says the same.
  public var lines: [[UInt8]] {
    Setting.allCases.compactMap { setting in
      setting.value(in: self).map { "\(setting.name) = ".utf8 + $0 }
    }
  }
}
