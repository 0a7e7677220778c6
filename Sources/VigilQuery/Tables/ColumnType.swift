public import VigilEngine

extension Database {
    /// The type of a column, as the definition of a table names it.
    ///
    /// ```swift
    /// t.column("name", .text)
    /// t.column("location", Database.ColumnType(rawValue: "POINT"))
    /// ```
    ///
    /// It says which values SQLite converts; only tables that are ``TableOptions/strict`` refuse others.
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The type in SQL. It is written as it is.
        public let rawValue: String

        /// A type of any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// `TEXT`
        public static let text = ColumnType(rawValue: "TEXT")
        /// `TEXT`, for JSON.
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
        /// `ANY`: values as they are, in a table that is ``TableOptions/strict``.
        public static let any = ColumnType(rawValue: "ANY")
    }
}
