import CVigilSQLite
import VigilStorage

/// The changes of a program through the handle of a connection on which the meaning of queries depends.
package struct HandleEffects: OptionSet {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Functions of the library were replaced, such as those behind `LIKE` and `GLOB`.
    package static let functions = HandleEffects(rawValue: 1)
    /// The collations of the library may have been replaced.
    package static let collations = HandleEffects(rawValue: 2)
    /// Limits on lengths were changed. Statements beyond them fail.
    package static let limits = HandleEffects(rawValue: 4)
}

/// A use of the handle by the program.
package struct HandleUse {
    /// A compiled statement, expired by a replaced collation; `nil` if the library does not report that.
    fileprivate let witness: OpaquePointer?
    fileprivate let lengthLimits: [Int]
}

extension SQLiteConnection {
    /// Called before the program uses the handle without the driver. ``didUseHandle(_:)`` ends the use.
    package func willUseHandle() -> HandleUse {
        HandleUse(witness: makeWitness(), lengthLimits: lengthLimits)
    }

    /// Discards what the driver knows about the connection, and returns the changes of the program.
    package func didUseHandle(_ use: HandleUse) -> HandleEffects {
        schemas.hasTemporary = true
        schemas.hasTemporaryTriggers = true
        schemas.hasAttached = true
        functionRevision += 1
        forgetDataVersions()
        reporter.discardMetadata()
        recorder.begin()
        var effects: HandleEffects = []
        if didUseLibraryFunctions() { effects.insert(.functions) }
        if hasExpired(use.witness), distrustCollations() { effects.insert(.collations) }
        if use.lengthLimits != lengthLimits {
            conditionsMayHaveChanged()
            effects.insert(.limits)
        }
        return effects
    }

    /// The limits that decide for which rows a condition fails.
    private var lengthLimits: [Int] { [limit(SQLiteLimit.patternLength), limit(SQLiteLimit.length)] }

    /// Distrusts the library's collations: the program may have replaced them. Returns whether anything was
    /// derived from their meaning before.
    private func distrustCollations() -> Bool {
        collations.redefined.formUnion(["binary", "nocase", "rtrim"])
        // Another use of the handle by a fetch must not notify its own observation again.
        guard collations.hasTrustedLibrary else { return false }
        collations.hasTrustedLibrary = false
        conditionsMayHaveChanged()
        return true
    }

    // MARK: - The witness

    // The library lists its collations, but not whether they are its own. When one is replaced, all compiled
    // statements expire, and are compiled again when they run (`createCollation` in main.c).

    private func makeWitness() -> OpaquePointer? {
        guard library.countsRecompilations, let statement = try? compileInternally("SELECT 1") else {
            return nil
        }
        _ = isCompiledAgain(statement)
        return statement
    }

    /// Returns whether a statement had to be compiled again since it ran. Releases it.
    private func hasExpired(_ witness: OpaquePointer?) -> Bool {
        guard let witness else { return true }
        defer { _ = api.pointee.finalize(witness) }
        return isCompiledAgain(witness)
    }

    /// Runs a statement, and returns whether it was compiled again.
    private func isCompiledAgain(_ statement: OpaquePointer) -> Bool {
        withInternalStatements(recordsApart: true) {
            _ = api.pointee.step(statement)
            _ = api.pointee.reset(statement)
            return api.pointee.stmt_status?(statement, SQLiteStatementStatus.recompilations, 1) != 0
        }
    }
}
