import Foundation

/// The functions that every connection has: what SQLite's own `UPPER` and `LOWER` do for ASCII only. Their names are part of
/// the schemas that use them, and are those of GRDB, so that its databases can be opened.
extension DatabaseFunction {
    /// Swift's `capitalized`, as `swiftCapitalizedString(text)`. NULL for what is no text.
    public static let capitalize = ofText("swiftCapitalizedString") { $0.capitalized }

    /// Swift's `lowercased()`, as `swiftLowercaseString(text)`. NULL for what is no text.
    public static let lowercase = ofText("swiftLowercaseString") { $0.lowercased() }

    /// Swift's `uppercased()`, as `swiftUppercaseString(text)`. NULL for what is no text.
    public static let uppercase = ofText("swiftUppercaseString") { $0.uppercased() }

    /// `localizedCapitalized`, as `swiftLocalizedCapitalizedString(text)`. NULL for what is no text.
    public static let localizedCapitalize = ofText("swiftLocalizedCapitalizedString") {
        $0.localizedCapitalized
    }

    /// `localizedLowercase`, as `swiftLocalizedLowercaseString(text)`. NULL for what is no text.
    public static let localizedLowercase = ofText("swiftLocalizedLowercaseString") { $0.localizedLowercase }

    /// `localizedUppercase`, as `swiftLocalizedUppercaseString(text)`. NULL for what is no text.
    public static let localizedUppercase = ofText("swiftLocalizedUppercaseString") { $0.localizedUppercase }

    static let standard = [
        capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
    ]

    private static func ofText(_ name: String, _ change: @escaping @Sendable (String) -> String)
        -> DatabaseFunction
    {
        DatabaseFunction(name, argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).map(change)
        }
    }
}
