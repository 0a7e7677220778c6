import VigilStorage

/// The tables of a publication, and the names under which their changes are reported.
struct PublishedTables: Equatable, Sendable {
    /// A relation of the catalog: a published table, or a partitioned table above published ones.
    struct Relation: Equatable {
        enum Kind: Equatable {
            /// The stream contains each change of its own rows.
            case published
            /// It has no rows of its own.
            case partitioned
        }

        var id: UInt32
        var name: TableName
        var kind: Kind
    }

    /// A table below another one: a partition or a child.
    struct Inheritance: Equatable {
        var child: UInt32
        var parent: UInt32
    }

    /// Changes with the rows of the catalog that describe the publication, even if they are the same again.
    private let version: String
    /// The names of a relation and of all tables above it, by the number of the relation.
    private let names: [UInt32: Set<TableName>]
    /// All names, each of a table whose changes are reported completely.
    let reported: Set<TableName>
    /// The schema that the names call `main`.
    let mainSchema: String

    init(
        _ relations: [Relation], inheritance: [Inheritance], mainSchema: String = "public",
        version: String = ""
    ) {
        self.mainSchema = mainSchema
        self.version = version
        var unreported = Self.collisions(relations)
        let known = Dictionary(relations.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let parents = Dictionary(grouping: inheritance, by: \.child)
        // Tables above an unreported one are not reported completely.
        var queue = Array(unreported) + inheritance.map(\.child).filter { known[$0] == nil }
        while let relation = queue.popLast() {
            for above in parents[relation] ?? [] where unreported.insert(above.parent).inserted {
                queue.append(above.parent)
            }
        }
        var names: [UInt32: Set<TableName>] = [:]
        for relation in relations where relation.kind == .published {
            var seen: Set<UInt32> = [relation.id]
            var queue = [relation.id]
            while let id = queue.popLast() {
                if !unreported.contains(id), let name = known[id]?.name {
                    names[relation.id, default: []].insert(name)
                }
                for above in parents[id] ?? [] where seen.insert(above.parent).inserted {
                    queue.append(above.parent)
                }
            }
        }
        self.names = names
        reported = Set(relations.filter { !unreported.contains($0.id) }.map(\.name))
    }

    /// Returns the relations with equal names: a report would not show which one has changed.
    private static func collisions(_ relations: [Relation]) -> Set<UInt32> {
        Set(Dictionary(grouping: relations, by: \.name).values.filter { $0.count > 1 }.joined().map(\.id))
    }

    /// Returns the names under which a change of relations is reported.
    func names(of relations: Set<UInt32>) -> Set<TableName> {
        relations.reduce(into: []) { $0.formUnion(names[$1] ?? []) }
    }
}

/// The content of a stream.
enum Publication: Equatable, Sendable {
    case tables(PublishedTables)
    /// The server, the role or the publication does not allow a stream.
    case unavailable(reason: String)
}

/// The catalog of a server, as far as a feed depends on it.
struct PublicationState: Equatable, Sendable {
    var publication: Publication
    /// Read before the publication: see ``PostgresConnection/feedVersion(_:)``.
    var catalog: String
    /// The run of the server, see ``PostgresConnection/serverIdentitySQL``.
    var server: String
}
