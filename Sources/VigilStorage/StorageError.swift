/// What a backend throws.
public struct StorageError: Error, Sendable, Hashable {
    /// What went wrong: the numbers of SQLite's extended result codes, which other backends map theirs to.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// The code without its extension.
        public var primary: Code { Code(rawValue: rawValue & 0xFF) }

        public static let error = Code(rawValue: 1)
        public static let abort = Code(rawValue: 4)
        public static let busy = Code(rawValue: 5)
        public static let locked = Code(rawValue: 6)
        public static let outOfMemory = Code(rawValue: 7)
        public static let readOnly = Code(rawValue: 8)
        /// The file was replaced or deleted while the connection had it open.
        public static let fileMoved = Code(rawValue: 8 | (4 << 8))
        public static let interrupt = Code(rawValue: 9)
        public static let ioError = Code(rawValue: 10)
        public static let corrupt = Code(rawValue: 11)
        public static let full = Code(rawValue: 13)
        public static let cannotOpen = Code(rawValue: 14)
        public static let constraint = Code(rawValue: 19)
        public static let misuse = Code(rawValue: 21)
        public static let authorization = Code(rawValue: 23)
        public static let range = Code(rawValue: 25)
        /// The file is no database, or it is encrypted and no key was given.
        public static let notADatabase = Code(rawValue: 26)
        /// A key was given, and it does not open the file: the key is wrong, or the file is no database.
        public static let wrongKey = Code(rawValue: 26 | (1 << 8))
        /// A key was given to a backend that does not encrypt.
        public static let encryptionUnavailable = Code(rawValue: 1 | (100 << 8))
        /// The library that the backend needs is missing or lacks a function.
        public static let libraryUnavailable = Code(rawValue: 1 | (101 << 8))
    }

    public var code: Code
    /// A sentence for people, without bound values and keys.
    public var message: String
    /// The statement that failed, if it was one.
    public var sql: String?

    public init(_ code: Code, _ message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        let text = "error \(code.rawValue): \(message)"
        return sql.map { "\(text) - while executing `\($0)`" } ?? text
    }
}
