public import VigilEngine
import VigilStorage

/// A call of a function with the full-text table of the request as its first argument.
package struct FullTextCall: Sendable {
    /// An argument of the call.
    enum Argument: Sendable {
        case value(DatabaseValue)
        /// The position of a column in the table.
        case position(String)
    }

    var name: String
    var arguments: [Argument]

    func write(to writer: inout SQLWriter) throws {
        guard let table = writer.table else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "\(name) needs a request of a full-text table")
        }
        writer.write("\(name)(")
        // The hidden column of all columns has the name of the table.
        writer.write(column: table.tableName, of: table)
        for argument in arguments {
            writer.write(", ")
            switch argument {
            case .value(let value): try writer.write(value.sqlExpression)
            case .position(let column): writer.write(String(try position(of: column, in: table, writer.db)))
            }
        }
        writer.write(")")
    }

    private func position(of column: String, in table: TableReference, _ db: Database) throws -> Int {
        let columns = try QueryTable.named(table.tableName, db).columns()
        guard let position = columns.firstIndex(where: column.isSameName) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "\(name): the full-text table \(table.tableName) has no column \(column)")
        }
        return position
    }
}

extension SQLExpression {
    fileprivate static func fullText(_ name: String, _ arguments: [FullTextCall.Argument]) -> SQLExpression {
        SQLExpression(.fullText(FullTextCall(name: name, arguments: arguments)))
    }
}

extension FullTextCall.Argument {
    /// The position of a column; of any column for `nil`.
    fileprivate static func position(ofAny column: (any ColumnExpression)?) -> Self {
        column.map { .position($0.name) } ?? .value((-1).databaseValue)
    }
}

extension [FullTextCall.Argument] {
    fileprivate static func texts(_ texts: String...) -> Self { texts.map { .value($0.databaseValue) } }
}

extension FTS5 {
    /// Returns the relevance of a match: the smaller the number, the better the match.
    ///
    /// ```swift
    /// // Words in the title weigh ten times as much as words in the body.
    /// let documents = try Document.matching(pattern).order(FTS5.bm25(weights: [10, 1])).fetchAll(db)
    /// ```
    ///
    /// Ordering by `Column.rank` is faster than by this expression without weights.
    ///
    /// - Parameter weights: The weights of the columns, in the order of their declaration. Further columns
    ///   have the weight 1.
    public static func bm25(weights: [Double] = []) -> SQLExpression {
        .fullText("bm25", weights.map { .value($0.databaseValue) })
    }

    /// Returns the text of a column, with all matches of the pattern between two texts.
    ///
    /// ```swift
    /// let titles = Document.matching(pattern)
    ///     .select(FTS5.highlight(Column("title"), from: "<b>", to: "</b>"), as: String.self)
    /// ```
    public static func highlight(_ column: any ColumnExpression, from start: String, to end: String)
        -> SQLExpression
    {
        .fullText("highlight", [.position(column.name)] + .texts(start, end))
    }

    /// Returns a part of the text of a column with matches of the pattern, each between two texts.
    ///
    /// ```swift
    /// let parts = Document.matching(pattern)
    ///     .select(FTS5.snippet(Column("body"), from: "<b>", to: "</b>"), as: String.self)
    /// ```
    ///
    /// - Parameters:
    ///   - column: A column of the table; `nil` for the column with the best matches.
    ///   - start: The text before a match.
    ///   - end: The text after a match.
    ///   - ellipsis: The text at the beginning and the end of a part in the middle of the text.
    ///   - tokenCount: The greatest number of tokens in the part, from 1 to 64.
    public static func snippet(
        _ column: (any ColumnExpression)? = nil, from start: String, to end: String, ellipsis: String = "…",
        tokenCount: Int = 15
    ) -> SQLExpression {
        .fullText(
            "snippet",
            [.position(ofAny: column)] + .texts(start, end, ellipsis) + [.value(tokenCount.databaseValue)])
    }
}

extension FTS4 {
    /// Returns a part of the text with matches of the pattern, each between two texts.
    ///
    /// ```swift
    /// let parts = Document.matching(pattern)
    ///     .select(FTS4.snippet(Column("body"), from: "<b>", to: "</b>"), as: String.self)
    /// ```
    ///
    /// - Parameters:
    ///   - column: A column of the table; `nil` for any column.
    ///   - start: The text before a match.
    ///   - end: The text after a match.
    ///   - ellipsis: The text at the beginning and the end of a part in the middle of the text.
    ///   - tokenCount: The approximate number of tokens in the part, from 1 to 64.
    public static func snippet(
        _ column: (any ColumnExpression)? = nil, from start: String, to end: String, ellipsis: String = "…",
        tokenCount: Int = 15
    ) -> SQLExpression {
        .fullText(
            "snippet",
            .texts(start, end, ellipsis) + [.position(ofAny: column), .value(tokenCount.databaseValue)])
    }

    /// Returns the positions of the matches as text: for each match the column, the term of the pattern, and
    /// the position and length in bytes.
    ///
    /// ```swift
    /// let offsets = Document.matching(pattern).select(FTS4.offsets(), as: String.self)
    /// ```
    public static func offsets() -> SQLExpression { .fullText("offsets", []) }

    /// Returns statistics of a match as bytes, for a program to compute the relevance of the match.
    ///
    /// ```swift
    /// let statistics = Document.matching(pattern).select(FTS4.matchInfo("pcnalx"), as: Data.self)
    /// ```
    ///
    /// See <https://www.sqlite.org/fts3.html#matchinfo>.
    ///
    /// - Parameter format: The statistics, one letter for each.
    public static func matchInfo(_ format: String = "pcx") -> SQLExpression {
        .fullText("matchinfo", .texts(format))
    }
}
