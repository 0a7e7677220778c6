import VigilEngine

/// The identity of a request: its SQL, its arguments, and the type of its result. Equal identities fetch
/// equal values.
struct RequestIdentity: Hashable, Sendable {
    enum Result: Hashable, Sendable {
        case all
        case one
        case count
    }

    let sql: String
    let arguments: StatementArguments
    var decoder: ObjectIdentifier
    let result: Result
    /// The type of the request if the program defines it; `nil` for Vigil's own types.
    ///
    /// Such a type can count rows in its own way.
    var customType: ObjectIdentifier?

    /// SQL is compared by bytes, as in the database: `String` also considers different Unicode forms of a
    /// text equal.
    static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
        a.decoder == b.decoder && a.result == b.result && a.customType == b.customType
            && a.sql.utf8.elementsEqual(b.sql.utf8)
            && a.arguments.isIdentical(to: b.arguments)
    }

    // Identical requests are equal, so they have the same hash.
    func hash(into hasher: inout Hasher) {
        hasher.combine(sql)
        hasher.combine(arguments)
        hasher.combine(decoder)
        hasher.combine(result)
    }
}

/// A request whose result is determined by its SQL, arguments and decoder.
protocol IdentifiedRequest: Sendable {
    /// Returns the identity of the request; `nil` if it is unknown, because adapters are incomparable.
    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity?

    /// The SQL without values, for display.
    var label: String { get }
}

extension SQLRequest: IdentifiedRequest {
    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? {
        guard adapter == nil else { return nil }
        let (sql, arguments) = try sqlLiteral.build(db)
        return RequestIdentity(
            sql: sql, arguments: arguments, decoder: ObjectIdentifier(RowDecoder.self), result: result)
    }

    var label: String {
        let texts = sqlLiteral.elements.map { if case .text(let text, _) = $0 { text } else { "…" } }
        return texts.joined()
    }
}

extension QueryInterfaceRequest: IdentifiedRequest {
    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? {
        // The SQL does not determine the scopes and the prefetched rows.
        guard query.children.isEmpty else { return nil }
        let built = try query.build(db, forSingleResult: result == .one)
        return RequestIdentity(
            sql: built.sql, arguments: built.arguments, decoder: ObjectIdentifier(RowDecoder.self),
            result: result)
    }

    var label: String { "request of \(query.table)" }
}

extension AnyFetchRequest: IdentifiedRequest {
    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? {
        guard var identity = try erased.identified.identity(db, result) else { return nil }
        identity.decoder = ObjectIdentifier(RowDecoder.self)
        return identity
    }

    var label: String { erased.identified.label }
}

extension AdaptedFetchRequest: IdentifiedRequest {
    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? { nil }

    var label: String { base.identified.label }
}

/// The identity of a request of a type defined by the program. Its SQL is known once it is prepared.
struct PreparedIdentity<Request: FetchRequest>: IdentifiedRequest {
    let request: Request

    func identity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? {
        db.appSQLCount += 1
        let prepared = try db.withoutRecording {
            try request.makePreparedRequest(db, forSingleResult: result == .one)
        }
        guard prepared.adapter == nil, prepared.supplementaryFetch == nil else { return nil }
        return RequestIdentity(
            sql: prepared.statement.sql, arguments: prepared.statement.arguments,
            decoder: ObjectIdentifier(Request.RowDecoder.self), result: result,
            customType: ObjectIdentifier(Request.self))
    }

    var label: String { "\(Request.self)" }
}

extension FetchRequest {
    /// The request with its identity.
    var identified: any IdentifiedRequest {
        self as? any IdentifiedRequest ?? PreparedIdentity(request: self)
    }
}

extension IdentifiedRequest {
    /// Returns the identity of the request as a request for raw rows; `nil` if it is unknown.
    func rowsIdentity(_ db: Database, _ result: RequestIdentity.Result) throws -> RequestIdentity? {
        guard var identity = try identity(db, result) else { return nil }
        identity.decoder = ObjectIdentifier(Row.self)
        return identity
    }
}
