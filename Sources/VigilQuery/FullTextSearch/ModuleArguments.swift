import VigilEngine

extension String {
    /// The text as the name of a column among the arguments of a module: quoted if it is not a simple name.
    var moduleName: String {
        isSimpleName ? self : quotedDatabaseIdentifier
    }

    /// The text as a literal among the arguments of a module, unless it is a simple name.
    var moduleValue: String {
        isSimpleName ? self : databaseValue.sqlLiteral
    }

    /// Whether the text consists of ASCII letters, digits and underscores, and does not begin with a digit.
    private var isSimpleName: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

extension Set<Character> {
    /// The characters in a constant order.
    var sortedText: String { String(sorted()) }
}
