import VigilEngine
import VigilStorage

extension String {
    /// The string as an SQL identifier: in double quotes, whatever characters it contains.
    ///
    /// ```swift
    /// try db.execute(sql: "DROP TABLE \(tableName.quotedDatabaseIdentifier)")
    /// ```
    public var quotedDatabaseIdentifier: String {
        quotedSQLName
    }

    /// Returns the name of a collation in generated SQL. It is quoted only if necessary, as in the schemas
    /// created by GRDB: a migrator compares the texts of definitions.
    func collationNameSQL(_ dialect: SQLDialect) -> String {
        let needsNoQuotes =
            dialect.foldsNames
            ? [Database.CollationName.binary, .nocase, .rtrim].contains { $0.rawValue.isIdentical(to: self) }
            : isPlainWord && !SQLiteKeywords.all.contains(foldedName)
        return needsNoQuotes ? self : quotedSQLName
    }

    /// Whether the text consists of ASCII letters, digits and underscores, and does not begin with a digit.
    var isPlainWord: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

/// The keywords of SQLite, in lower case. Names equal to one of them are quoted.
///
/// See <https://www.sqlite.org/lang_keywords.html>. Some of them are keywords only in newer versions.
private enum SQLiteKeywords {
    static let all = Set(text.split { $0 == " " || $0 == "\n" }.map { String($0) })

    private static let text = """
        abort action add after all alter always analyze and as asc attach autoincrement before begin between
        by cascade case cast check collate column commit conflict constraint create cross current
        current_date current_time current_timestamp database default deferrable deferred delete desc detach
        distinct do drop each else end escape except exclude exclusive exists explain fail filter first
        following for foreign from full generated glob group groups having if ignore immediate in index
        indexed initially inner insert instead intersect into is isnull join key last left like limit match
        materialized natural no not nothing notnull null nulls of offset on or order others outer over
        partition plan pragma preceding primary query raise range recursive references regexp reindex
        release rename replace restrict returning right rollback row rows savepoint select set table temp
        temporary then ties to transaction trigger unbounded union unique update using vacuum values view
        virtual when where window with within without
        """
}

/// Returns question marks separated by commas: `?,?,?`.
///
/// ```swift
/// let sql = "SELECT * FROM player WHERE id IN (\(databaseQuestionMarks(count: ids.count)))"
/// let rows = try Row.fetchAll(db, sql: sql, arguments: StatementArguments(ids))
/// ```
///
/// - Precondition: `count` is not negative.
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ",")
}
