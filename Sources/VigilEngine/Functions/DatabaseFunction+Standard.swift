import Foundation

/// The functions of every connection. Unlike SQLite's `UPPER` and `LOWER`, they are not limited to ASCII.
/// Schemas contain their names. They are the same as in GRDB, so that its databases can be opened.
extension DatabaseFunction {
    /// The SQL function `swiftCapitalizedString(text)`: Foundation's `capitalized`; NULL unless it is text.
    public static let capitalize = ofText("swiftCapitalizedString") { $0.capitalized }

    /// The SQL function `swiftLowercaseString(text)`: Swift's `lowercased()`; NULL unless it is text.
    public static let lowercase = ofText("swiftLowercaseString") { $0.lowercased() }

    /// The SQL function `swiftUppercaseString(text)`: Swift's `uppercased()`; NULL unless it is text.
    public static let uppercase = ofText("swiftUppercaseString") { $0.uppercased() }

    /// The SQL function `swiftLocalizedCapitalizedString(text)`: Foundation's `localizedCapitalized`. It
    /// returns NULL if the argument is not text.
    public static let localizedCapitalize = ofText("swiftLocalizedCapitalizedString") {
        $0.localizedCapitalized
    }

    /// The SQL function `swiftLocalizedLowercaseString(text)`: Foundation's `localizedLowercase`. It returns
    /// NULL if the argument is not text.
    public static let localizedLowercase = ofText("swiftLocalizedLowercaseString") { $0.localizedLowercase }

    /// The SQL function `swiftLocalizedUppercaseString(text)`: Foundation's `localizedUppercase`. It returns
    /// NULL if the argument is not text.
    public static let localizedUppercase = ofText("swiftLocalizedUppercaseString") { $0.localizedUppercase }

    static let standard = [
        capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
    ]

    private static func ofText(_ name: String, _ change: @escaping @Sendable (String) -> String)
        -> DatabaseFunction
    {
        DatabaseFunction(name, argumentCount: 1, pure: true, harmless: true) { values in
            String.fromDatabaseValue(values[0]).map(change)
        }
    }
}
