import Foundation
import VigilEngine
import VigilStorage

extension SQL {
    /// Returns the SQL with its values as literals, for statements without parameters: definitions of tables,
    /// indexes and views.
    ///
    /// The values become part of the schema, and are visible to every reader of the database.
    ///
    /// - Throws: `SQLITE_MISUSE` if there are more values than parameters, or if a parameter is numbered.
    func buildWithLiterals(_ db: Database) throws -> String {
        let (sql, arguments) = try build(db)
        guard !arguments.isEmpty else { return sql }
        var inliner = ParameterInliner(sql: sql, arguments: arguments, db.dialect)
        return try inliner.run()
    }
}

extension DatabaseValue {
    /// The value as an SQL literal of SQLite, for texts shown by apps, and for the arguments of virtual
    /// tables.
    var sqlLiteral: String { sqlLiteral(.sqlite) }

    /// Returns the value as an SQL literal.
    func sqlLiteral(_ dialect: SQLDialect) -> String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let double) where double.isNaN: "NULL"
        case .double(let double) where double.isInfinite:
            double < 0 ? "-" + dialect.infinityLiteral : dialect.infinityLiteral
        case .double(let double): String(double)
        // A NUL byte would end a text literal.
        case .string(let text) where text.utf8.contains(0): "(CAST(\(Self.hex(text.utf8, dialect)) AS TEXT))"
        case .string(let text): text.quotedSQLText
        case .blob(let data): Self.hex(data, dialect)
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>, _ dialect: SQLDialect) -> String {
        let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
        return dialect.bytesLiteral.start + digits.joined() + dialect.bytesLiteral.end
    }
}

/// Replaces the parameters in an SQL text with literals. Parameters without a value remain, and SQLite
/// rejects them.
private struct ParameterInliner {
    private let bytes: [UInt8]
    private let names: [ExactString: DatabaseValue]
    private let dialect: SQLDialect
    private var values: ArraySlice<DatabaseValue>
    private var position = 0
    private var output: [UInt8] = []

    init(sql: String, arguments: StatementArguments, _ dialect: SQLDialect) {
        self.dialect = dialect
        bytes = Array(sql.utf8)
        names = arguments.namedValues
        values = arguments.values[...]
    }

    mutating func run() throws -> String {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): copyQuoted(until: bytes[position])
            case UInt8(ascii: "["): copyQuoted(until: UInt8(ascii: "]"))
            case UInt8(ascii: "-") where isNext("-"): copy(through: "\n")
            case UInt8(ascii: "/") where isNext("*"): copy(through: "*/")
            case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
                try replaceParameter()
            case let byte where Self.isNamePart(byte): copyName()
            default: copy(1)
            }
        }
        guard values.isEmpty else {
            let sql = String(decoding: bytes, as: UTF8.self)
            throw DatabaseError.wrongArgumentCount(values.endIndex, needed: values.startIndex, sql: sql)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func copy(_ count: Int) {
        let end = min(position + count, bytes.count)
        output += bytes[position..<end]
        position = end
    }

    /// Copies one quoted piece. A doubled quote ends this piece and begins the next one, with the same
    /// result.
    private mutating func copyQuoted(until quote: UInt8) {
        let end = bytes[(position + 1)...].firstIndex(of: quote) ?? bytes.count
        copy(end + 1 - position)
    }

    private mutating func copy(through end: String) {
        let end = Array(end.utf8)
        copy(2)
        while position < bytes.count, !bytes[position...].starts(with: end) { copy(1) }
        copy(end.count)
    }

    /// Copies a name. A `$` inside a name is part of it.
    private mutating func copyName() {
        copy(nameLength(from: position))
    }

    private mutating func replaceParameter() throws {
        if bytes[position] == UInt8(ascii: "?") {
            // The numbers would be wrong: SQL pieces are joined without renumbering parameters.
            if position + 1 < bytes.count, Self.isDigit(bytes[position + 1]) {
                throw misuse("numbered parameters cannot be replaced by literals: use ? or named parameters")
            }
            return replace(1, by: values.popFirst())
        }
        let length = nameLength(from: position + 1)
        guard length > 0 else { return copy(1) }
        let name = String(decoding: bytes[(position + 1)...].prefix(length), as: UTF8.self)
        replace(1 + length, by: names[ExactString(name)] ?? values.popFirst())
    }

    private mutating func replace(_ count: Int, by value: DatabaseValue?) {
        guard let value else { return copy(count) }
        position += count
        // A parameter may be adjacent to a word or to a minus sign; a literal may not.
        if let last = output.last, last == UInt8(ascii: "-") || Self.isNamePart(last) {
            output.append(UInt8(ascii: " "))
        }
        output += value.sqlLiteral(dialect).utf8
        if position < bytes.count, Self.isNamePart(bytes[position]) { output.append(UInt8(ascii: " ")) }
    }

    private func misuse(_ message: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: message, sql: String(decoding: bytes, as: UTF8.self))
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: character)
    }

    private func nameLength(from start: Int) -> Int {
        bytes[start...].prefix { Self.isNamePart($0) || $0 == UInt8(ascii: "$") }.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
