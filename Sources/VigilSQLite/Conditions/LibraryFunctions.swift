import VigilStorage

/// The functions of a library on which conditions and plans depend: `LIKE` and `GLOB`, the ``SafeFunctions``
/// and the ``PureFunctions``. A program may replace any of them.
struct LibraryFunctions {
    /// A number incremented by each replacement of a function: earlier conditions may no longer hold.
    fileprivate(set) var revision = 0
    /// The functions added or removed by the program.
    fileprivate var own: Set<String> = []
    /// Whether a function counted as the library's own, although the library does not list its functions.
    fileprivate var hasTrustedUnlisted = false
    /// The library's own functions; `nil` until it was queried.
    fileprivate var builtIn: Set<String>?
    fileprivate static let names = SafeFunctions.names.union(aggregates).union(PureFunctions.names)
    /// For each function of the program, whether it is pure.
    fileprivate var ownPurity: [String: Bool] = [:]
    /// The program's functions in plans of results.
    fileprivate var planned: Set<String> = []
    /// The functions called by the statement being compiled; `nil` while they are not recorded.
    var called: Set<String>?
    /// Aggregates that may raise an error, but only with groups.
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
        let isKnown = LibraryFunctions.names.contains(name)
        if isKnown { libraryFunctions.own.insert(name) }
        if isKnown || libraryFunctions.planned.remove(name) != nil { libraryFunctions.revision += 1 }
    }

    func didAddFunction(named name: String, isPure: Bool) {
        let name = name.foldedName
        libraryFunctions.ownPurity[name] = isPure && libraryFunctions.ownPurity[name] ?? true
    }

    /// Called before `PRAGMA case_sensitive_like` replaces the function behind `LIKE`.
    func willReplaceLike() {
        conditionsMayHaveChanged()
        functionRevision += 1
    }

    /// Makes all statements derive their conditions again.
    func conditionsMayHaveChanged() { libraryFunctions.revision += 1 }

    /// Returns whether a function of the library or the program, given its folded name, is pure.
    func isPure(_ name: String) -> Bool {
        if let isPure = libraryFunctions.ownPurity[name] {
            if isPure { libraryFunctions.planned.insert(name) }
            return isPure
        }
        return PureFunctions.names.contains(name) && isBuiltIn(name)
    }

    /// Called after a use of the connection without the driver. Returns whether it replaced a function.
    func didUseLibraryFunctions() -> Bool {
        forgetOwnPurity()
        guard library.versionNumber >= 3_030_000 else {
            // The library does not list its functions: the program may have replaced any of them.
            libraryFunctions.own = LibraryFunctions.names
            // Another use of the handle by a fetch must not notify its own observation again.
            guard libraryFunctions.hasTrustedUnlisted else { return false }
            libraryFunctions.hasTrustedUnlisted = false
            libraryFunctions.revision += 1
            return true
        }
        // Without a list of functions, no condition is derived from them.
        guard let before = libraryFunctions.builtIn else { return false }
        libraryFunctions.builtIn = listBuiltInFunctions()
        guard libraryFunctions.builtIn != before else { return false }
        libraryFunctions.revision += 1
        return true
    }

    private func forgetOwnPurity() {
        for name in libraryFunctions.ownPurity.keys { libraryFunctions.ownPurity[name] = false }
        guard !libraryFunctions.planned.isEmpty else { return }
        libraryFunctions.planned = []
        libraryFunctions.revision += 1
    }

    /// Returns why the meaning of an operator is uncertain; `nil` if it has SQLite's meaning.
    ///
    /// `PRAGMA case_sensitive_like` replaces `LIKE` with another function of the library. After that,
    /// conditions derived before remain necessary: they ignore the case, and so accept more rows.
    func reasonToDistrust(_ patternOperator: RowConditionTemplate.PatternOperator) -> String? {
        let name = patternOperator.functionName
        if libraryFunctions.own.contains(name) { return "the program has its own \(name.uppercased())" }
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
    /// - Parameter name: the folded name of a function of SQLite.
    func isBuiltIn(_ name: String) -> Bool {
        if libraryFunctions.own.contains(name) { return false }
        // `PRAGMA case_sensitive_like` replaces LIKE with a function that fails for the same patterns.
        let isPattern = ["like", "glob"].contains(name)
        if library.versionNumber >= 3_030_000 { return isPattern || builtInFunctions().contains(name) }
        // Earlier versions do not list their functions. The program's functions pass through the driver.
        libraryFunctions.hasTrustedUnlisted = true
        return true
    }

    private func builtInFunctions() -> Set<String> {
        if let known = libraryFunctions.builtIn { return known }
        let functions = listBuiltInFunctions()
        libraryFunctions.builtIn = functions
        return functions
    }

    /// Returns the ``LibraryFunctions/names`` listed with no implementation but the library's own.
    ///
    /// A function of the program hides the library's if it takes the same number of arguments or any number
    /// of them; the library's function then stays in the list. None can be added later unnoticed, because
    /// statements are not allowed to load extensions.
    private func listBuiltInFunctions() -> Set<String> {
        guard let rows = try? query("PRAGMA function_list") else { return [] }
        var builtIn: Set<String> = []
        var others: Set<String> = []
        for row in rows where row.count >= 5 {
            guard let name = row[0].text?.foldedName, LibraryFunctions.names.contains(name) else { continue }
            if row[1].integer != 1 {
                others.insert(name)
            } else if row[4].integer == 2 || !["like", "glob"].contains(name) {
                builtIn.insert(name)
            }
        }
        return builtIn.subtracting(others)
    }
}
