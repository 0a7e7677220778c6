public import VigilEngine

extension Database {
    /// The name of a collation: a way to compare and sort text.
    ///
    /// ```swift
    /// t.column("email", .text).collate(.nocase)
    /// t.column("title", .text).collate(Database.CollationName(rawValue: "byLength"))
    /// ```
    ///
    /// Collations implemented in Swift are `DatabaseCollation`s.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in the database. Generated SQL quotes it, unless it is one of SQLite's own.
        public let rawValue: String

        /// Creates a collation name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Compares text byte by byte. This is SQLite's default.
        public static let binary = CollationName(rawValue: "BINARY")
        /// Compares text byte by byte, ignoring the case of ASCII letters.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// Compares text byte by byte, ignoring trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
