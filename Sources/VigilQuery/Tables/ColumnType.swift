public import VigilEngine
import VigilStorage

extension Database {
    /// The declared type of a column.
    ///
    /// ```swift
    /// t.column("name", .text)
    /// t.column("location", Database.ColumnType(rawValue: "POINT"))
    /// ```
    ///
    /// SQLite uses the type to convert values when it stores them. Only ``TableOptions/strict`` tables reject
    /// values of another type.
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The type in SQL, written unquoted.
        public let rawValue: String
        /// Whether the type is JSON in a binary format. Servers have a separate name for it.
        private let isBinaryJSON: Bool

        /// Creates a column type.
        public init(rawValue: String) { self.init(rawValue) }

        private init(_ rawValue: String, isBinaryJSON: Bool = false) {
            self.rawValue = rawValue
            self.isBinaryJSON = isBinaryJSON
        }

        func sql(_ dialect: SQLDialect) -> String {
            isBinaryJSON ? dialect.binaryJSONType : dialect.type(rawValue)
        }

        /// `TEXT`
        public static let text = ColumnType(rawValue: "TEXT")
        /// `TEXT`, for JSON text, stored as it is.
        public static let jsonText = ColumnType(rawValue: "TEXT")
        /// `BLOB`, for JSON in SQLite's binary format. On a PostgreSQL server, it is `jsonb`: values are read
        /// and written as JSON text.
        public static let jsonb = ColumnType("BLOB", isBinaryJSON: true)
        /// `INTEGER`
        public static let integer = ColumnType(rawValue: "INTEGER")
        /// `DOUBLE`
        public static let double = ColumnType(rawValue: "DOUBLE")
        /// `REAL`
        public static let real = ColumnType(rawValue: "REAL")
        /// `NUMERIC`
        public static let numeric = ColumnType(rawValue: "NUMERIC")
        /// `BOOLEAN`
        public static let boolean = ColumnType(rawValue: "BOOLEAN")
        /// `BLOB`
        public static let blob = ColumnType(rawValue: "BLOB")
        /// `DATE`
        public static let date = ColumnType(rawValue: "DATE")
        /// `DATETIME`
        public static let datetime = ColumnType(rawValue: "DATETIME")
        /// `ANY`: values are stored without conversion, if the table is ``TableOptions/strict``.
        public static let any = ColumnType(rawValue: "ANY")
    }
}
