import VigilEngine

/// What makes two requests the same: what is asked, with which values, and what the answer is made into.
struct RequestIdentity: Hashable, Sendable {
    enum Result: Hashable, Sendable {
        case all
        case one
        case count
    }

    let sql: String
    let arguments: StatementArguments
    let decoder: ObjectIdentifier
    let result: Result

    /// Text that only Swift takes for equal is not: the database compares bytes.
    static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
        a.decoder == b.decoder && a.result == b.result && a.sql.utf8.elementsEqual(b.sql.utf8)
            && a.arguments.isIdentical(to: b.arguments)
    }

    // What is identical is equal, and so has one hash.
    func hash(into hasher: inout Hasher) {
        hasher.combine(sql)
        hasher.combine(arguments)
        hasher.combine(decoder)
        hasher.combine(result)
    }
}

extension SQLRequest {
    /// What makes the request the same as another; `nil` if that is not known, because columns are renamed.
    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? {
        guard adapter == nil else { return nil }
        let (sql, arguments) = try sqlLiteral.build(db)
        return RequestIdentity(
            sql: sql, arguments: arguments, decoder: ObjectIdentifier(RowDecoder.self), result: result)
    }

    /// For people: the text without values.
    var label: String {
        let texts = sqlLiteral.elements.map { if case .text(let text, _) = $0 { text } else { "…" } }
        return texts.joined()
    }
}
