extension WaitProgram {
  /// Programs that lack one thing of this one. Those that lack most come first.
  var smaller: [WaitProgram] {
    var found: [WaitProgram] = []
    for outsider in outsiders.indices.reversed() where outsiders.count > 1 {
      var program = self
      program.outsiders.remove(at: outsider)
      found.append(program)
    }
    for body in bodies.indices where !bodies[body].script.isEmpty {
      var program = self
      program.bodies[body].script = []
      found.append(program)
    }
    for outsider in outsiders.indices {
      found += Self.smaller(outsiders[outsider]).map { script in
        var program = self
        program.outsiders[outsider] = script
        return program
      }
    }
    for body in bodies.indices {
      found += Self.smaller(bodies[body].script).map { script in
        var program = self
        program.bodies[body].script = script
        return program
      }
      if bodies[body].isBarrier || bodies[body].group != nil {
        var program = self
        program.bodies[body].isBarrier = false
        program.bodies[body].group = nil
        found.append(program)
      }
    }
    return found
  }

  private static func smaller(_ script: [WaitStep]) -> [[WaitStep]] {
    script.indices.flatMap { index -> [[WaitStep]] in
      var without = script
      without.remove(at: index)
      let inner = script[index].inner.map(smaller) ?? []
      return [without]
        + inner.map { inner in
          var changed = script
          changed[index] = script[index].replacingInner(inner)
          return changed
        }
    }
  }
}
