package import VigilStorage

/// Conditions that may have changed their meaning, because the program replaced a function or a collation of
/// the library.
package struct DoubtfulConditions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Conditions on prefixes, derived from `LIKE` and `GLOB`.
    package static let prefixes = DoubtfulConditions(rawValue: 1)

    /// Conditions on text compared by a collation.
    package static func text(comparedBy collation: RowCondition.Collation) -> DoubtfulConditions {
        switch collation {
        case .binary: DoubtfulConditions(rawValue: 2)
        case .nocase: DoubtfulConditions(rawValue: 4)
        case .rtrim: DoubtfulConditions(rawValue: 8)
        }
    }

    /// Conditions on any text.
    package static let text: DoubtfulConditions = [
        .text(comparedBy: .binary), .text(comparedBy: .nocase), .text(comparedBy: .rtrim),
    ]

    /// Returns the conditions affected by a function of the program.
    package static func callingFunction(named name: String) -> DoubtfulConditions {
        ["like", "glob"].contains(name.foldedName) ? .prefixes : []
    }

    /// Returns the conditions affected by a collation of the program.
    package static func comparing(byCollationNamed name: String) -> DoubtfulConditions {
        switch name.foldedName {
        case "binary": .text(comparedBy: .binary)
        case "nocase": .text(comparedBy: .nocase)
        case "rtrim": .text(comparedBy: .rtrim)
        default: []
        }
    }
}

extension DatabaseRegion {
    /// Returns the region without doubtful conditions. Every change that modifies this region modifies the
    /// result too.
    package func without(_ doubtful: DoubtfulConditions) -> DatabaseRegion {
        guard let contents, !doubtful.isEmpty,
            contents.contains(where: { $0.part.predicates?.contain(doubtful) ?? false })
        else { return self }
        return DatabaseRegion(
            contents: contents.map { region in
                var part = region.part
                part.predicates = part.predicates?.without(doubtful)
                return TableRegion(table: region.table, part: part)
            })
    }
}

extension RowPredicates {
    fileprivate func contain(_ doubtful: DoubtfulConditions) -> Bool {
        alternatives.contains { $0.tests.contains { $0.isAmong(doubtful) } }
    }
}

extension ColumnTest {
    func isAmong(_ doubtful: DoubtfulConditions) -> Bool {
        let comparesText: Bool
        switch test {
        case .prefix: return doubtful.contains(.prefixes)
        case .equals(let key): comparesText = key.isText
        case .oneOf(let keys): comparesText = keys.contains(where: \.isText)
        case .within(let interval): comparesText = interval.hasText
        case .isNull: return false
        }
        return comparesText && doubtful.contains(.text(comparedBy: column.collation))
    }
}
