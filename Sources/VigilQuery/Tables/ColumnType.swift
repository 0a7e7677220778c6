public import VigilEngine

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

        /// Creates a column type.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `TEXT`
        public static let text = ColumnType(rawValue: "TEXT")
        /// `TEXT`, for JSON text.
        public static let jsonText = ColumnType(rawValue: "TEXT")
        /// `BLOB`, for JSON in SQLite's binary format.
        public static let jsonb = ColumnType(rawValue: "BLOB")
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
