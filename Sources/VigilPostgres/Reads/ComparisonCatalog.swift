import VigilStorage

/// The operators, types and collations of a server that decide how conditions compare values.
struct ComparisonCatalog {
    enum Operator: String {
        case equal = "="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case unequal = "<>"

        /// The operator with exchanged operands.
        var flipped: Operator {
            switch self {
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            case .equal, .unequal: self
            }
        }
    }

    /// A comparison built into the server. It never fails.
    struct Comparison {
        var kind: Operator
        /// Whether its operands are text, compared by a collation.
        var isText: Bool
        /// The types of the operands, if they compare as the values of ``ComparedType`` do.
        var type: ComparedType?
    }

    /// The comparisons by their numbers.
    var comparisons: [UInt32: Comparison] = [:]
    /// The functions that convert integers to types with at least their values, and never fail. The
    /// conversion to another integer keeps the value.
    var wideningCasts: [UInt32: Bool] = [:]
    /// The elements of types of arrays.
    var elementTypes: [UInt32: UInt32] = [:]
    /// Whether text is stored as UTF-8. Otherwise only ASCII certainly stays the same when it is converted.
    var isUTF8 = false
    /// Whether constants have the known format, see ``ComparedType/constant(_:)``.
    var knowsConstants = false
    /// The names of the values of enumerations, by the numbers of the types and of the values.
    var labels: [UInt32: [UInt32: String]] = [:]
    /// The collations that may treat different texts as equal.
    var equatingCollations: Set<UInt32> = []
    /// The columns of tables, by the numbers of the tables and of the columns.
    var columns: [UInt32: [Int: Column]] = [:]

    struct Column {
        var name: String
        var isGenerated: Bool
        /// Whether the column is computed when it is read.
        var isVirtual: Bool
    }

    func type(_ number: UInt32) -> ComparedType? {
        ComparedType(type: number) ?? (labels[number] == nil ? nil : .label)
    }

    /// Returns the type of a parameter, whose texts the server converts to the encoding of the database.
    func convertedType(_ type: ComparedType) -> ComparedType {
        (type == .text || type == .label) && !isUTF8 ? .asciiText : type
    }

    // MARK: - Reading

    static let anyEnum: UInt32 = 3500
    private static let textTypes: Set<UInt32> = [
        PostgresType.text, PostgresType.varchar, PostgresType.bpchar, PostgresType.name,
    ]
    /// Types without conditions, whose comparisons do not fail: numbers with fractions, text, times,
    /// addresses, bits, JSON.
    private static let harmlessTypes: [UInt32] = [
        18, PostgresType.name, 700, 701, PostgresType.numeric, PostgresType.bpchar, 1083, 1266, 1186, 869,
        829,
        774, 790, 1560, 1562, PostgresType.jsonb,
    ]

    init() {}

    /// Reads what is the same in all databases, with the search path `pg_catalog`.
    ///
    /// - Parameter probe: the tree of a function with the constant 1, to check the format of constants.
    init(_ connection: PostgresConnection, probe: String) throws(StorageError) {
        let types = Set(ComparedType.numbers + Self.harmlessTypes + [Self.anyEnum])
        let list = "{\(types.map(String.init).joined(separator: ","))}"
        let operators = try connection.query(
            """
            SELECT oid, oprname, oprleft, oprright FROM pg_catalog.pg_operator
            WHERE oid < 16384 AND oprname = ANY ('{=,<>,<,<=,>,>=}'::pg_catalog.name[])
            AND oprleft = ANY ($1::pg_catalog.oid[]) AND oprright = ANY ($1::pg_catalog.oid[])
            """, [list])
        for row in operators {
            guard let id = row[0].flatMap({ UInt32($0) }),
                let kind = row[1].flatMap({ Operator(rawValue: $0) }),
                let left = row[2].flatMap({ UInt32($0) }), let right = row[3].flatMap({ UInt32($0) })
            else { continue }
            let type: ComparedType? = left == Self.anyEnum ? .label : ComparedType(type: left)
            let other: ComparedType? = right == Self.anyEnum ? .label : ComparedType(type: right)
            comparisons[id] = Comparison(
                kind: kind, isText: Self.textTypes.contains(left) || Self.textTypes.contains(right),
                type: type == other ? type : nil)
        }
        let casts = try connection.query(
            """
            SELECT castfunc, casttarget IN (23, 20) FROM pg_catalog.pg_cast WHERE castcontext = 'i' AND castfunc < 16384
            AND castsource IN (21, 23, 20) AND casttarget IN (23, 20, 700, 701, 1700)
            """)
        for row in casts {
            if let function = row[0].flatMap({ UInt32($0) }) { wideningCasts[function] = row[1] == "t" }
        }
        for row in try connection.query(
            "SELECT typarray, oid FROM pg_catalog.pg_type WHERE oid = ANY ($1::pg_catalog.oid[])", [list])
        {
            if let array = row[0].flatMap({ UInt32($0) }), let element = row[1].flatMap({ UInt32($0) }) {
                elementTypes[array] = element
            }
        }
        isUTF8 = try connection.query("SELECT pg_catalog.getdatabaseencoding()").first?[0] == "UTF8"
        knowsConstants = probe.contains(":constvalue 4 [ 1 0 0 0 0 0 0 0 ]")
    }

    /// Reads what users define, with the search path `pg_catalog`.
    mutating func readDefinitions(_ connection: PostgresConnection) throws(StorageError) {
        labels = [:]
        for row in try connection.query(
            "SELECT t.oid, t.typarray, e.oid, enumlabel FROM pg_type t JOIN pg_enum e ON enumtypid = t.oid")
        {
            guard let type = row[0].flatMap({ UInt32($0) }), let array = row[1].flatMap({ UInt32($0) }),
                let value = row[2].flatMap({ UInt32($0) }), let label = row[3]
            else { continue }
            labels[type, default: [:]][value] = label
            elementTypes[array] = type
        }
        let collations = try connection.query("SELECT oid FROM pg_collation WHERE NOT collisdeterministic")
        equatingCollations = Set(collations.compactMap { $0[0].flatMap { UInt32($0) } })
    }

    /// Reads the columns of tables, with the search path `pg_catalog`.
    mutating func readColumns(
        of tables: some Sequence<UInt32>, _ connection: PostgresConnection
    ) throws(StorageError) {
        columns = [:]
        let rows = try connection.query(
            """
            SELECT attrelid, attnum, attname, attgenerated <> '', attgenerated = 'v' FROM pg_attribute
            WHERE attrelid = ANY ($1::oid[]) AND attnum > 0 AND NOT attisdropped
            """, ["{\(tables.map(String.init).joined(separator: ","))}"])
        for row in rows {
            guard let table = row[0].flatMap({ UInt32($0) }), let number = row[1].flatMap({ Int($0) }),
                let name = row[2]
            else { continue }
            columns[table, default: [:]][number] = Column(
                name: name, isGenerated: row[3] == "t", isVirtual: row[4] == "t")
        }
    }
}
