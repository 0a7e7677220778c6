public import Foundation
import VigilStorage

/// A collation: a way to compare and sort text in `ORDER BY`, indexes and comparisons.
///
/// ```swift
/// let byLength = DatabaseCollation("byLength") { a, b in
///     a.count < b.count ? .orderedAscending : a.count > b.count ? .orderedDescending : .orderedSame
/// }
/// db.add(collation: byLength)
/// // SELECT * FROM player ORDER BY name COLLATE byLength
/// ```
///
/// A collation used by indexes must not change. If it does, rebuild them with `Database.reindex(collation:)`.
public final class DatabaseCollation: Identifiable, Sendable {
    /// The identity of a collation within a connection: its name, regardless of case.
    public struct ID: Hashable, Sendable {
        private let foldedName: ExactString

        init(name: String) {
            foldedName = ExactString(name.foldedName)
        }
    }

    /// The name in SQL.
    public let name: String
    let compare: @Sendable (String, String) -> ComparisonResult

    /// The identity of the collation.
    public var id: ID { ID(name: name) }

    /// Creates a collation.
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - function: compares two strings. It is called on the connection's thread, while a statement is
    ///     running.
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

/// The collations of every connection. Schemas contain their names. They are the same as in GRDB, so that its
/// databases can be opened.
extension DatabaseCollation {
    /// Compares text as Swift does: by Unicode scalars, with canonically equivalent text considered equal.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { a, b in
        a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }

    /// Compares text with Foundation's `caseInsensitiveCompare(_:)`.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") { a, b in
        a.caseInsensitiveCompare(b)
    }

    /// Compares text by the rules of the current locale. Do not use it in indexes: the locale may change.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") { a, b in
        a.localizedCompare(b)
    }

    /// Compares text like ``localizedCompare``, ignoring case. Do not use it in indexes.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation(
        "swiftLocalizedCaseInsensitiveCompare"
    ) { a, b in
        a.localizedCaseInsensitiveCompare(b)
    }

    /// Compares text like file lists, with numbers by value. Do not use it in indexes: the locale may change.
    public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") { a, b in
        a.localizedStandardCompare(b)
    }

    static let standard = [
        unicodeCompare, caseInsensitiveCompare, localizedCompare, localizedCaseInsensitiveCompare,
        localizedStandardCompare,
    ]
}
