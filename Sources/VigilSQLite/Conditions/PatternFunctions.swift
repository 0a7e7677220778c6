import VigilStorage

/// What is known about the functions behind `LIKE` and `GLOB`, which a program may replace.
struct PatternFunctions {
    /// Grows when one of them is replaced: conditions that were read before may not hold any more.
    fileprivate(set) var revision = 0
    /// Those that the program added or removed.
    fileprivate var own: Set<String> = []
    /// Those that are the library's, once it was asked.
    fileprivate var builtIn: Set<String>?
    fileprivate static let names: Set<String> = ["like", "glob"]
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
    /// To be called when the program adds or removes a function.
    func willChangeFunction(named name: String) {
        let name = name.foldedName
        guard PatternFunctions.names.contains(name) else { return }
        patternFunctions.own.insert(name)
        patternFunctions.revision += 1
    }

    /// Why it is not certain what an operator means; `nil` if it means what it does to SQLite.
    ///
    /// `PRAGMA case_sensitive_like` replaces `LIKE` with another one of the library's. If that happens after the library
    /// was asked, conditions stay necessary: they ignore the case, and so let more rows in.
    func reasonNotToTrust(_ sign: RowConditionTemplate.PatternOperator) -> String? {
        let name = sign.functionName
        if patternFunctions.own.contains(name) { return "the program has its own \(name.uppercased())" }
        // The column that says how many arguments a function has is as old as this.
        guard library.versionNumber >= 3_030_000 else {
            return "this version of the library does not report whether \(name.uppercased()) is built in"
        }
        if patternFunctions.builtIn == nil { patternFunctions.builtIn = askForBuiltInPatterns() }
        guard patternFunctions.builtIn?.contains(name) == true else {
            return "\(name.uppercased()) may be another function than the library's own"
        }
        return nil
    }

    /// The operators that nothing but the library's own functions can be behind.
    ///
    /// A function that was added hides the library's if it takes two arguments or any number; the library's is still in
    /// the list then. None can be added later unnoticed: nothing allows a statement to load extensions.
    private func askForBuiltInPatterns() -> Set<String> {
        guard let rows = try? query("PRAGMA function_list") else { return [] }
        var builtIn: Set<String> = []
        var others: Set<String> = []
        for row in rows where row.count >= 5 {
            guard let name = row[0].text?.foldedName, PatternFunctions.names.contains(name) else { continue }
            if row[1].integer != 1 {
                others.insert(name)
            } else if row[4].integer == 2 {
                builtIn.insert(name)
            }
        }
        return builtIn.subtracting(others)
    }
}
