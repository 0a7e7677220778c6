import VigilStorage

/// The state of the functions behind `LIKE` and `GLOB`, and of the ``SafeFunctions``, which a program may replace.
struct PatternFunctions {
    /// A number that grows when one of the functions is replaced, because conditions derived before may no longer
    /// hold.
    fileprivate(set) var revision = 0
    /// The functions that the program added or removed.
    fileprivate var own: Set<String> = []
    /// Whether a function was assumed to be the library's own, although the library does not list its functions.
    fileprivate var hasTrustedUnlisted = false
    /// The functions that belong to the library; `nil` until it was queried.
    fileprivate var builtIn: Set<String>?
    fileprivate static let names = SafeFunctions.names.union(aggregates).union(PureFunctions.names)
    /// For each function that the program added, whether it is pure.
    fileprivate var ownPurity: [String: Bool] = [:]
    /// The functions of the program on which a plan of a result depends.
    fileprivate var planned: Set<String> = []
    /// Aggregates that may fail, but only with groups.
    private static let aggregates: Set<String> = ["group_concat", "sum"]
}

extension RowConditionTemplate.PatternOperator {
    fileprivate var functionName: String {
        switch self {
        case .like: "like"
        case .glob: "glob"
        }
    }
}

extension SQLiteConnection {
    /// Called before the program adds or removes a function.
    func willChangeFunction(named name: String) {
        functionRevision += 1
        let name = name.foldedName
        let isKnown = PatternFunctions.names.contains(name)
        if isKnown { patternFunctions.own.insert(name) }
        if isKnown || patternFunctions.planned.remove(name) != nil { patternFunctions.revision += 1 }
    }

    /// Notes a function that the program added.
    func didAddFunction(named name: String, isPure: Bool) {
        let name = name.foldedName
        patternFunctions.ownPurity[name] = isPure && patternFunctions.ownPurity[name] ?? true
    }

    /// Called before `PRAGMA case_sensitive_like` replaces the function behind `LIKE`.
    func willReplaceLike() {
        conditionsMayHaveChanged()
        functionRevision += 1
    }

    /// Makes all statements derive their conditions again.
    func conditionsMayHaveChanged() { patternFunctions.revision += 1 }

    /// Returns whether a function depends on its arguments alone, whether it belongs to the library or the program.
    ///
    /// - Parameter name: the folded name.
    func isPure(_ name: String) -> Bool {
        if let isPure = patternFunctions.ownPurity[name] {
            if isPure { patternFunctions.planned.insert(name) }
            return isPure
        }
        return PureFunctions.names.contains(name) && isBuiltIn(name)
    }

    /// Called after the program used the connection without the driver.
    ///
    /// - Returns: whether it replaced one of the functions.
    func didUsePatternFunctions() -> Bool {
        forgetOwnPurity()
        guard library.versionNumber >= 3_030_000 else {
            // The library does not list its functions: the program may have replaced any of them.
            patternFunctions.own = PatternFunctions.names
            // A fetch that uses the handle again must not notify its own observation again.
            guard patternFunctions.hasTrustedUnlisted else { return false }
            patternFunctions.hasTrustedUnlisted = false
            patternFunctions.revision += 1
            return true
        }
        // Without a list of functions, no condition is derived from them.
        guard let before = patternFunctions.builtIn else { return false }
        patternFunctions.builtIn = listBuiltInFunctions()
        guard patternFunctions.builtIn != before else { return false }
        patternFunctions.revision += 1
        return true
    }

    private func forgetOwnPurity() {
        for name in patternFunctions.ownPurity.keys { patternFunctions.ownPurity[name] = false }
        guard !patternFunctions.planned.isEmpty else { return }
        patternFunctions.planned = []
        patternFunctions.revision += 1
    }

    /// Returns why the meaning of an operator is uncertain; `nil` if it has SQLite's meaning.
    ///
    /// `PRAGMA case_sensitive_like` replaces `LIKE` with another function of the library. If that happens
    /// after the library was queried, the conditions remain necessary: they ignore the case, and so accept
    /// more rows.
    func reasonToDistrust(_ patternOperator: RowConditionTemplate.PatternOperator) -> String? {
        let name = patternOperator.functionName
        if patternFunctions.own.contains(name) { return "the program has its own \(name.uppercased())" }
        // Earlier versions lack the column with the number of arguments.
        guard library.versionNumber >= 3_030_000 else {
            return "this version of the library does not report whether \(name.uppercased()) is built in"
        }
        guard builtInFunctions().contains(name) else {
            return "\(name.uppercased()) may be another function than the library's own"
        }
        return nil
    }

    /// Returns whether calls of a function, and the operator of that name, fail only when SQLite's own do.
    ///
    /// - Parameter name: the folded name of a function that SQLite has.
    func isBuiltIn(_ name: String) -> Bool {
        if patternFunctions.own.contains(name) { return false }
        // `PRAGMA case_sensitive_like` replaces LIKE with a function that fails for the same patterns.
        let isPattern = ["like", "glob"].contains(name)
        if library.versionNumber >= 3_030_000 { return isPattern || builtInFunctions().contains(name) }
        // Earlier versions do not list their functions. Those that the program adds pass through the driver.
        patternFunctions.hasTrustedUnlisted = true
        return true
    }

    private func builtInFunctions() -> Set<String> {
        if let known = patternFunctions.builtIn { return known }
        let functions = listBuiltInFunctions()
        patternFunctions.builtIn = functions
        return functions
    }

    /// Returns those of ``PatternFunctions/names`` for which the library lists no implementation but its own.
    ///
    /// A function that the program added hides the library's if it takes the same number of arguments or any
    /// number of them; the library's function then stays in the list. None can be added later unnoticed, because
    /// statements are not allowed to load extensions.
    private func listBuiltInFunctions() -> Set<String> {
        guard let rows = try? query("PRAGMA function_list") else { return [] }
        var builtIn: Set<String> = []
        var others: Set<String> = []
        for row in rows where row.count >= 5 {
            guard let name = row[0].text?.foldedName, PatternFunctions.names.contains(name) else { continue }
            if row[1].integer != 1 {
                others.insert(name)
            } else if row[4].integer == 2 || !["like", "glob"].contains(name) {
                builtIn.insert(name)
            }
        }
        return builtIn.subtracting(others)
    }
}
