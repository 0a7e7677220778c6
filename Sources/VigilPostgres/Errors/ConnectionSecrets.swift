import VigilStorage

/// The passwords in a connection string. They must not appear in messages.
struct ConnectionSecrets: Sendable, Equatable {
    private var secrets: [String] = []
    /// Whether an unencoded special character may have ended the password early. libpq then takes the rest of
    /// the password for another part of the string, and quotes it in messages.
    private(set) var mayBeCutShort = false

    init(in connectionString: String) {
        if connectionString.hasPrefix("postgres://") || connectionString.hasPrefix("postgresql://") {
            addURL(connectionString)
        } else {
            addPairs(connectionString)
        }
    }

    /// Returns a message of libpq, with a placeholder in place of each secret.
    func removed(from message: String) -> String {
        let quotesString = message.contains("connection info string") || message.contains("connection option")
        if mayBeCutShort || quotesString {
            return "the connection string is not valid, or its password contains characters that must be"
                + " percent-encoded or quoted"
        }
        return secrets.reduce(message) { $1.isEmpty ? $0 : $0.replacing(bytes: Array($1.utf8), with: "…") }
    }

    private mutating func addURL(_ url: String) {
        let afterScheme = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? ""
        let beginning = Self.withoutParameters(afterScheme)
        if let at = beginning.lastIndex(of: "@"), let colon = beginning[..<at].firstIndex(of: ":") {
            let password = beginning[beginning.index(after: colon)..<at]
            add(String(password))
            mayBeCutShort = password.contains { "@:/?#[] ".contains($0) } || !Self.isPercentEncoded(password)
        }
        addParameters(afterScheme)
    }

    /// Returns a URL without its parameters, or unchanged if a question mark in a password is possible.
    private static func withoutParameters(_ text: Substring) -> Substring {
        guard let question = text.firstIndex(of: "?") else { return text }
        let beginning = text[..<question]
        let parameters = text[text.index(after: question)...].split(separator: "&")
        let areNamed = parameters.allSatisfy { parameter in
            let name = parameter.prefix { $0 != "=" }
            return name.endIndex < parameter.endIndex
                && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0 >= 0x61 && $0 <= 0x7a }
        }
        // libpq looks for the user only before a slash.
        guard areNamed, let slash = beginning.firstIndex(of: "/") else { return text }
        let user = beginning[..<slash].lastIndex(of: "@")
        let hosts = beginning[(user.map { beginning.index(after: $0) } ?? beginning.startIndex)..<slash]
        return isHostList(hosts) ? beginning : text
    }

    /// Returns whether a text is a list of hosts, each perhaps with a port.
    private static func isHostList(_ text: Substring) -> Bool {
        text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { host in
            let nameEnd = host.lastIndex(of: "]").map { host.index(after: $0) } ?? host.startIndex
            guard let colon = host[nameEnd...].firstIndex(of: ":") else { return true }
            return host[host.index(after: colon)...].utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        }
    }

    private mutating func addParameters(_ text: Substring) {
        guard let question = text.lastIndex(of: "?") else { return }
        for parameter in text[text.index(after: question)...].split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].lowercased().contains("password") { add(String(parts[1])) }
        }
    }

    /// Adds the values of `password = …` in a string of pairs.
    private mutating func addPairs(_ text: String) {
        var rest = text[...]
        while let range = rest.firstRange(of: "password") {
            rest = rest[range.upperBound...].drop { $0.isWhitespace }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            let isQuoted = rest.first == "'"
            if isQuoted { rest = rest.dropFirst() }
            var value = ""
            while let character = rest.first, isQuoted ? character != "'" : !character.isWhitespace {
                rest = rest.dropFirst()
                if character == "\\", let escaped = rest.popFirst() {
                    value.append(escaped)
                } else {
                    value.append(character)
                }
            }
            add(value)
        }
    }

    private mutating func add(_ secret: String) {
        secrets.append(secret)
        if let decoded = Self.percentDecoded(secret), decoded != secret { secrets.append(decoded) }
    }

    private static func isPercentEncoded(_ text: Substring) -> Bool {
        percentDecoded(String(text)) != nil
    }

    /// Returns the text with `%41` replaced by the byte; `nil` for a percent sign before anything else.
    private static func percentDecoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ConnectionSecrets: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
