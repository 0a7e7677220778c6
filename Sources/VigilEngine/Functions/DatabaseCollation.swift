public import Foundation
import VigilStorage

/// An order of texts, for `ORDER BY`, indexes and comparisons.
///
/// ```swift
/// let byLength = DatabaseCollation("byLength") { a, b in
///     a.count < b.count ? .orderedAscending : a.count > b.count ? .orderedDescending : .orderedSame
/// }
/// db.add(collation: byLength)
/// // SELECT * FROM player ORDER BY name COLLATE byLength
/// ```
///
/// An index that uses a collation is as good as the promise that the collation never changes.
public final class DatabaseCollation: Identifiable, Sendable {
    /// What tells collations of a connection apart: the name, in any case.
    public struct ID: Hashable, Sendable {
        private let foldedName: ExactString

        init(name: String) {
            foldedName = ExactString(name.foldedName)
        }
    }

    /// The name by which SQL knows it.
    public let name: String
    let compare: @Sendable (String, String) -> ComparisonResult

    public var id: ID { ID(name: name) }

    /// Makes a collation.
    public convenience init(
        _ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult
    ) {
        self.init(name: name, compare: function)
    }

    private init(name: String, compare: @escaping @Sendable (String, String) -> ComparisonResult) {
        self.name = name
        self.compare = compare
    }
}

/// The collations that every connection has. Their names are part of the schemas that use them, and are those of GRDB, so
/// that its databases can be opened.
extension DatabaseCollation {
    /// Swift's order of strings: by Unicode scalars, equal if canonically equivalent.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { a, b in
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }

    /// Foundation's order that ignores case.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") { a, b in
        a.caseInsensitiveCompare(b)
    }

    /// The order of the current locale. Not for indexes: it changes with the locale.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") { a, b in
        a.localizedCompare(b)
    }

    /// The order of the current locale, ignoring case. Not for indexes: it changes with the locale.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation(
        "swiftLocalizedCaseInsensitiveCompare"
    ) { a, b in
        a.localizedCaseInsensitiveCompare(b)
    }

    /// The order in which people expect lists of files: numbers in texts by value. Not for indexes: it changes with the
    /// locale.
    public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") { a, b in
        a.localizedStandardCompare(b)
    }

    static let standard = [
        unicodeCompare, caseInsensitiveCompare, localizedCompare, localizedCaseInsensitiveCompare,
        localizedStandardCompare,
    ]
}
