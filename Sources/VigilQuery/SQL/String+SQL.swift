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

    /// The name of a collation in generated SQL: quoted, unless it is one of SQLite's own. A server looks up
    /// unquoted names in lower case, and a name can be a keyword.
    var collationNameSQL: String {
        [Database.CollationName.binary, .nocase, .rtrim].contains { $0.rawValue.isIdentical(to: self) }
            ? self : quotedSQLName
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
