/// The name of an association, and of the scopes, prefetched rows and aggregates of its rows.
///
/// An association to many rows is joined under a singular name, and prefetched under a plural one.
enum AssociationKey: Sendable {
    /// The name of the table, in either number.
    case tableName(String)
    /// A name given in the singular.
    case singular(String)
    /// A name given in the plural.
    case plural(String)
    /// A name with equal singular and plural forms.
    case fixed(String)

    var singularName: String {
        switch self {
        case .tableName(let name), .plural(let name): name.singularized
        case .singular(let name), .fixed(let name): name
        }
    }

    var pluralName: String {
        switch self {
        case .tableName(let name), .singular(let name): name.pluralized
        case .plural(let name), .fixed(let name): name
        }
    }

    /// Returns the key with a prefix, to distinguish it from the keys of the program.
    func prefixed(by prefix: String) -> AssociationKey {
        switch self {
        case .tableName(let name): .tableName(prefix + name)
        case .singular(let name): .singular(prefix + name)
        case .plural(let name): .plural(prefix + name)
        case .fixed(let name): .fixed(prefix + name)
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
