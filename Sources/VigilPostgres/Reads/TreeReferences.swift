/// The objects of the catalog to which the tree of an analysed query refers, by their numbers.
///
/// The tree is read by its fields: tables are in `:relid`, functions in `:funcid` and similar ones. Types of
/// nodes and uses of numbers that are not listed here make the references unknown, as they may appear with a
/// later version of the server.
struct TreeReferences: Equatable {
    var relations: Set<UInt32> = []
    var functions: Set<UInt32> = []
    var operators: Set<UInt32> = []
    /// Whether there are values with the names of roles, which change without a change of rows.
    private(set) var containsRoles = false

    /// The part of a tree that is not understood.
    struct Unknown: Error, Equatable {
        var reason: String
    }

    /// Objects created by users have at least this number.
    static let firstUserObject: UInt32 = 16_384

    /// regrole, aclitem, and arrays of them.
    private static let typesOfRoles: Set<String> = ["4096", "4097", "1033", "1034"]

    /// Adds the references of a tree, or of several.
    mutating func add(_ text: String) throws(Unknown) {
        var tree = NodeTree(text)
        while true {
            let word: NodeTree.Word?
            do throws(NodeTree.Malformed) {
                word = try tree.next()
            } catch {
                throw Unknown(reason: "the query tree of the server cannot be read")
            }
            guard let word else { return }
            try check(word)
        }
    }

    mutating func formUnion(_ other: TreeReferences) {
        relations.formUnion(other.relations)
        functions.formUnion(other.functions)
        operators.formUnion(other.operators)
        containsRoles = containsRoles || other.containsRoles
    }

    private mutating func check(_ word: NodeTree.Word) throws(Unknown) {
        guard !word.field.isEmpty else {
            guard word.node.isEmpty ? word.text == "<>" : Self.nodes.contains(word.node) else {
                throw Unknown(reason: "the query tree of the server contains \(word.text)")
            }
            return
        }
        switch word.field {
        case "commandType":
            guard word.text == "1" else { throw Unknown(reason: "it contains a command that may write") }
        case "hasModifyingCTE":
            guard word.text == "false" else { throw Unknown(reason: "it contains a command that writes") }
        case "relid": try insert(word, into: \.relations)
        case "funcid", "opfuncid", "aggfnoid", "winfnoid", "hashfuncid", "negfuncid", "tsmhandler",
            "startInRangeFunc", "endInRangeFunc":
            try insert(word, into: \.functions)
        case "opno", "opnos", "eqop", "sortop", "cycle_mark_neop":
            try insert(word, into: \.operators)
        case "vartype", "consttype", "resulttype", "funcresulttype", "paramtype":
            if Self.typesOfRoles.contains(word.text) { containsRoles = true }
            fallthrough
        default:
            // An unlisted field may hold the number of an object.
            guard let number = UInt32(word.text), number >= Self.firstUserObject,
                !Self.isHarmless(word.field)
            else { return }
            throw Unknown(reason: "the query tree of the server contains \(word.field) \(number)")
        }
    }

    private mutating func insert(
        _ word: NodeTree.Word, into references: WritableKeyPath<TreeReferences, Set<UInt32>>
    ) throws(Unknown) {
        // A list of numbers begins with "o".
        if word.text == "o" || word.text == "0" || word.text == "<>" { return }
        guard let number = UInt32(word.text) else {
            throw Unknown(reason: "the query tree of the server contains \(word.field) \(word.text)")
        }
        self[keyPath: references].insert(number)
    }

    /// Returns whether a field with a large number does not refer to a table or function: it holds a type, a
    /// collation, a position in the text, the bytes of a constant, or columns.
    private static func isHarmless(_ field: String) -> Bool {
        let folded = field.lowercased()
        return harmlessSuffixes.contains { folded.hasSuffix($0) } || harmlessFields.contains(field)
    }

    private static let harmlessSuffixes = [
        "type", "types", "typeid", "typmod", "typmods", "collid", "collids", "collation", "collations",
        "location", "len", "typid",
    ]

    private static let harmlessFields: Set<String> = [
        "collOid", "constvalue", "frameOptions", "resorigtbl", "constraintDeps", "checkAsUser",
        "requiredPerms",
        "queryId",
        // Sequences of a tree's own numbers.
        "ressortgroupref", "tleSortGroupRef", "varno", "resno", "paramid", "rtindex", "perminfoindex",
    ]

    /// The types of nodes in analysed queries of PostgreSQL 15 to 18. Their names differ between versions.
    private static let nodes: Set<String> = [
        "QUERY", "RTE", "RANGETBLENTRY", "RTEPERMISSIONINFO", "ALIAS", "RANGETBLFUNCTION",
        "TABLESAMPLECLAUSE", "TABLEFUNC", "COMMONTABLEEXPR", "CTESEARCHCLAUSE", "CTECYCLECLAUSE",
        "FROMEXPR", "JOINEXPR", "RANGETBLREF", "TARGETENTRY", "SETOPERATIONSTMT", "SORTGROUPCLAUSE",
        "GROUPINGSET", "WINDOWCLAUSE", "ROWMARKCLAUSE",
        "VAR", "CONST", "PARAM", "AGGREF", "GROUPINGFUNC", "WINDOWFUNC", "SUBSCRIPTINGREF", "FUNCEXPR",
        "NAMEDARGEXPR", "OPEXPR", "DISTINCTEXPR", "NULLIFEXPR", "SCALARARRAYOPEXPR", "BOOLEXPR", "SUBLINK",
        "FIELDSELECT", "FIELDSTORE", "RELABELTYPE", "COERCEVIAIO", "ARRAYCOERCEEXPR",
        "CONVERTROWTYPEEXPR", "COLLATE", "COLLATEEXPR", "CASE", "CASEEXPR", "WHEN", "CASEWHEN",
        "CASETESTEXPR", "ARRAY", "ARRAYEXPR", "ROW", "ROWEXPR", "ROWCOMPARE", "ROWCOMPAREEXPR", "COALESCE",
        "COALESCEEXPR", "MINMAX", "MINMAXEXPR", "SQLVALUEFUNCTION", "XMLEXPR", "NULLTEST", "BOOLEANTEST",
        "COERCETO" + "DOMAIN", "COERCETO" + "DOMAINVALUE", "SETTODEFAULT",
        "JSONFORMAT", "JSONRETURNING", "JSONVALUEEXPR", "JSONCONSTRUCTOREXPR", "JSONISPREDICATE",
    ]
}
