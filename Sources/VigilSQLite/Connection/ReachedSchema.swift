import CVigilSQLite
import VigilStorage

/// The parts of a schema reached by a statement, and the functions in its own text, on a connection to an
/// untrusted file.
///
/// They decide whether a function of the program may be called. The library cannot decide it: it marks the
/// functions in definitions of tables and indexes only if they are deterministic and exist when the schema is
/// read, and it does not authorize them. Before 3.31, it marks none.
///
/// A function may be called if the statement names it, and no reached definition does.
final class ReachedSchema {
    /// The functions called by the statement, or by a reached view or trigger, in lower case.
    private var functions: Set<String> = []
    /// The tables read and written by the statement, in lower case.
    private var tables: Set<String> = []
    /// The views, triggers and common table expressions that cause accesses, in lower case.
    private var sources: Set<String> = []
    /// The functions permitted during the current run.
    private var permitted: Set<String> = []
    /// Whether the statement is compiled. What is compiled later, as by virtual tables, is not its own text.
    var isCompiled = false

    func record(
        _ action: Int32, first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?,
        source: UnsafePointer<CChar>?
    ) {
        var isNew = false
        if let source { isNew = sources.insert(String(cString: source).foldedName).inserted }
        switch SQLiteAction(rawValue: action) {
        case .function:
            if let second, !isCompiled { functions.insert(String(cString: second).foldedName) }
        case .read, .insert, .update, .delete:
            if let first { isNew = tables.insert(String(cString: first).foldedName).inserted || isNew }
        default: break
        }
        if isNew { permitted.removeAll() }
    }

    /// Called before a run. The schema may have changed since the last one.
    func willRun() { permitted.removeAll(keepingCapacity: true) }

    /// Returns whether a function of the program, given its folded name, may be called.
    func permits(_ function: String, on connection: SQLiteConnection) -> Bool {
        if permitted.contains(function) { return true }
        guard functions.contains(function), let definitions = try? connection.definitions(),
            !reaches(function, definitions)
        else { return false }
        permitted.insert(function)
        return true
    }

    private func reaches(_ function: String, _ definitions: [Definition]) -> Bool {
        // The library's own tables, such as `pragma_integrity_check`, and modules run their own statements.
        let reachesAll =
            tables.contains { table in !definitions.contains { $0.name == table } }
            || definitions.contains { $0.isModule && (tables.contains($0.name) || sources.contains($0.name)) }
        return definitions.contains { definition in
            guard !definition.isTemporary else { return false }
            let isReached =
                reachesAll || tables.contains(definition.table) || tables.contains(definition.name)
                || sources.contains(definition.name)
            return isReached && definition.mayCall(function)
        }
    }

    /// The definition of a table, index, view or trigger.
    struct Definition {
        /// The name, in lower case.
        let name: String
        /// The name of its table, in lower case.
        let table: String
        let sql: String
        let isTemporary: Bool

        var isModule: Bool { SQLTokens(sql).startsWith(["CREATE", "VIRTUAL"]) }

        /// Returns whether the definition may call a function. Modules accept names of functions in arguments
        /// of any form, and operators call functions without parentheses.
        func mayCall(_ function: String) -> Bool {
            let tokens = SQLTokens(sql)
            if tokens.startsWith(["CREATE", "VIRTUAL"]) {
                return tokens.tokens.contains { $0.content.foldedName == function }
            }
            return tokens.tokens.indices.contains { index in
                let token = tokens.tokens[index]
                guard token.content.foldedName == function else { return false }
                if Self.operators.contains(function) { return token.kind == .word || token.kind == .symbol }
                let isName = token.kind == .word || token.kind == .quotedName
                return isName && index + 1 < tokens.tokens.count && tokens.tokens[index + 1].isSymbol("(")
            }
        }

        /// The functions called by operators and keywords.
        private static let operators: Set<String> = [
            "like", "glob", "regexp", "match", "->", "->>", "current_date", "current_time",
            "current_timestamp",
        ]
    }
}

extension SQLiteConnection {
    fileprivate func definitions() throws(StorageError) -> [ReachedSchema.Definition] {
        var definitions: [ReachedSchema.Definition] = []
        for schema in try schemasInSearchOrder() {
            let isTemporary = schema.isSameName(as: "temp")
            for row in try query("SELECT name, tbl_name, sql FROM \(schemaTable(of: schema))") {
                guard let name = row[0].text, let table = row[1].text else { continue }
                definitions.append(
                    ReachedSchema.Definition(
                        name: name.foldedName, table: table.foldedName, sql: row[2].text ?? "",
                        isTemporary: isTemporary))
            }
        }
        return definitions
    }

    /// Returns why a function of the program, given its folded name, must not be called now; `nil` if it may.
    func refusal(ofFunctionNamed name: String) -> StorageError? {
        guard !options.trustsFile, reachedSchema?.permits(name, on: self) != true else { return nil }
        return StorageError(.error, Self.unsafeUse(of: name))
    }

    /// Returns a message of the library with the reason, if it refused a function.
    func explainedUnsafeUse(_ message: String) -> String {
        let (prefix, suffix) = ("unsafe use of ", "()")
        guard message.hasPrefix(prefix), message.hasSuffix(suffix) else { return message }
        return Self.unsafeUse(of: String(message.dropFirst(prefix.count).dropLast(suffix.count)).foldedName)
    }

    private static func unsafeUse(of name: String) -> String {
        "unsafe use of \(name)(): the schema of an untrusted file can only call functions that are declared harmless"
    }
}
