import VigilEngine

extension String {
    /// The text as the name of a column among the arguments of a module: quoted if it is not a plain word.
    var moduleName: String {
        isPlainWord ? self : quotedDatabaseIdentifier
    }

    /// The text as a literal among the arguments of a module, unless it is a plain word.
    var moduleValue: String {
        isPlainWord ? self : databaseValue.sqlLiteral
    }
}

extension Set<Character> {
    /// The characters in a constant order.
    var sortedText: String { String(sorted()) }
}
