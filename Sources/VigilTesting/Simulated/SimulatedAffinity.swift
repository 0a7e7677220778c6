import VigilStorage

/// The affinity of a column, by SQLite's rules for declared types.
enum SimulatedAffinity: Sendable {
    case blob
    case text
    case numeric
    case integer
    case real

    init(declaredType: String) {
        let type = declaredType.foldedName
        let rules: [(String, SimulatedAffinity)] = [
            ("int", .integer), ("char", .text), ("clob", .text), ("text", .text), ("blob", .blob),
            ("real", .real), ("floa", .real), ("doub", .real),
        ]
        self = rules.first { type.contains($0.0) }?.1 ?? (type.isEmpty ? .blob : .numeric)
    }

    /// Returns the value as a column of this affinity stores and compares it.
    func converted(_ value: StorageValue) -> StorageValue {
        switch (self, value) {
        case (.text, .integer(let integer)): .text(String(integer))
        case (.text, .real(let real)): .text(String(real))
        case (.real, .integer(let integer)): .real(Double(integer))
        case (.integer, .real(let real)), (.numeric, .real(let real)): Self.narrowed(real)
        case (.integer, .text(let text)), (.numeric, .text(let text)): Self.number(text) ?? value
        case (.real, .text(let text)):
            Self.number(text).map { converted($0) } ?? value
        default: value
        }
    }

    private static func narrowed(_ real: Double) -> StorageValue {
        Int64(exactly: real).map { .integer($0) } ?? .real(real)
    }

    private static func number(_ text: String) -> StorageValue? {
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Int64(text).map { .integer($0) } ?? Double(text).map { narrowed($0) }
    }
}
