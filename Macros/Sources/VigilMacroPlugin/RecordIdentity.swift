import SwiftSyntax

/// The identity of a record: `id`, and the type `ID` of a key of several columns.
///
/// Both name the types of properties, so they are members of the struct itself: an extension does not see the
/// names around a nested type.
struct RecordIdentity {
    /// Whether `id` is the primary key.
    let isKnown: Bool
    /// The members added by a macro, except members declared by the struct itself.
    private(set) var members: [String] = []

    init(_ record: RecordDeclaration) {
        let key = record.key
        if key.map(\.name) == ["id"] {
            isKnown = true
            return
        }
        isKnown = !key.isEmpty && !record.members.contains("id")
        guard isKnown, record.hasTable else { return }
        let access = record.access + "nonisolated "
        if key.count == 1 {
            members.append("\(access)var id: \(key[0].type) { self.\(key[0].identifier) }")
            return
        }
        if !record.members.contains("ID") {
            let columns = key.map { "\(record.access)let \($0.identifier): \($0.type)" }
            let parameters = key.map { "\($0.identifier): \($0.type)" }.joined(separator: ", ")
            let assignments = key.map { "self.\($0.identifier) = \($0.identifier)" }
            let code = columns + ["\(record.access)init(\(parameters)) {"] + assignments + ["}"]
            members.append(
                "\(access)struct ID: Swift.Hashable, Swift.Sendable {\n\(code.joined(separator: "\n"))\n}")
        }
        let values = key.map { "\($0.identifier): self.\($0.identifier)" }.joined(separator: ", ")
        members.append("\(access)var id: ID { ID(\(values)) }")
    }
}
