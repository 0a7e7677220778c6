import VigilEngine
import VigilStorage

extension DatabaseValue {
    /// The value as an SQL literal of SQLite, for texts in apps, and for arguments of virtual tables.
    var sqlLiteral: String { sqlLiteral(.sqlite) }

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
        dialect.bytesLiteral.start + bytes.hexDigits.uppercased() + dialect.bytesLiteral.end
    }
}
