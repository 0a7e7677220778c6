public import VigilEngine

extension Database {
    /// The name of an order of texts.
    ///
    /// Orders written in Swift are `DatabaseCollation`s.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// A collation of any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// By bytes. The default.
        public static let binary = CollationName(rawValue: "BINARY")
        /// Ignoring the case of ASCII letters.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// By bytes, ignoring spaces at the end.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
