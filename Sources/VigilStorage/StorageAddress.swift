/// The address of a database on a server: a connection string, in the syntax of the server's client library.
///
/// ```swift
/// let address = StorageAddress("postgres://app@db.example.com/shop")
/// ```
///
/// The string may contain a password. Descriptions show only where the database is.
public struct StorageAddress: Sendable, Hashable {
    /// The connection string, with its password.
    public let connectionString: String

    /// Creates an address.
    public init(_ connectionString: String) {
        self.connectionString = connectionString
    }
}

extension StorageAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The server and the database, without the user, the password and other parameters.
    public var description: String {
        let parts = connectionString.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].allSatisfy({ $0.isLetter || $0.isNumber }) else { return pairs }
        // An incorrectly encoded password may contain any character.
        let place = parts[1].lastIndex(of: "@").map { parts[1][parts[1].index(after: $0)...] } ?? parts[1]
        return "\(parts[0])://\(place.prefix { $0 != "?" })"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror that shows only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// The keys and values of the place.
    private var pairs: String {
        var shown: [String] = []
        var rest = connectionString[...]
        while let key = Self.nextKey(&rest), let value = Self.nextValue(&rest) {
            if ["service", "host", "hostaddr", "port", "dbname"].contains(key), !value.contains("://") {
                shown.append("\(key)=\(value)")
            }
        }
        return shown.isEmpty ? "server" : shown.joined(separator: " ")
    }

    private static func nextKey(_ rest: inout Substring) -> String? {
        rest = rest.drop { $0.isWhitespace }
        let key = rest.prefix { $0.isLetter || $0 == "_" }
        rest = rest.dropFirst(key.count).drop { $0.isWhitespace }
        guard !key.isEmpty, rest.popFirst() == "=" else { return nil }
        rest = rest.drop { $0.isWhitespace }
        return String(key)
    }

    /// Reads a value, possibly in quotes and with escaped characters.
    private static func nextValue(_ rest: inout Substring) -> String? {
        let isQuoted = rest.first == "'"
        if isQuoted { rest.removeFirst() }
        var value = ""
        while let character = rest.popFirst() {
            if isQuoted ? character == "'" : character.isWhitespace { return value }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            value.append(escaped)
        }
        return isQuoted ? nil : value
    }
}
