/// The words of generated SQL, where backends differ.
///
/// Everything else is the same in all dialects: names are quoted with double quotes, and drivers accept `?`
/// for parameters, as in the SQL of apps. A driver with several dialects returns one of them for each
/// connection.
///
/// It is a class, so that writing one value does not copy all words.
package final class SQLDialect: Sendable {
    /// The name of the database system, in messages.
    package let systemName: String
    /// Whether a search path selects from several schemas. A dot in a new table's name is then a mistake.
    package let hasManySchemas: Bool
    /// Whether names without quotes are looked up in lower case.
    package let foldsNames: Bool
    /// The operators for equality, also of two NULLs, and for its negation.
    package let nullSafeEquality: Opposites
    /// The operator to compare text with a pattern, ignoring the case of ASCII letters.
    package let patternOperator: String
    /// The text after a pattern of LIKE without an escape character.
    package let unescapedPatternSuffix: String
    /// The text after a subquery in a FROM clause, if nothing refers to its columns.
    package let unnamedSubquerySuffix: String
    /// The texts before and after the name of a table whose only column is the right operand of IN.
    package let tableInMembership: Delimiters
    /// The word after LIMIT for all rows.
    package let unlimitedRowCount: String
    /// The literals of the two Boolean values.
    package let booleanLiterals: Opposites
    /// The texts before and after the hexadecimal digits of a literal of bytes.
    package let bytesLiteral: Delimiters
    /// The literal of the positive infinite number. It may be preceded by a minus sign.
    package let infinityLiteral: String
    /// The names of types, by SQLite's names in capitals, where they differ.
    package let typeNames: [String: String]
    /// The type of JSON in a binary format.
    package let binaryJSONType: String
    /// The texts that give a parameter a type, if the database infers the types of parameters from their use;
    /// `nil` if the bound value has the type.
    package let parameterCasts: ParameterCasts?
    /// Whether the database infers the types of parameters from their use.
    package let infersParameterTypes: Bool
    /// The names of functions, by SQLite's names in capitals, where they differ.
    package let functionNames: [String: String]
    /// The functions with other arguments or another syntax. The keys are SQLite's names, in capitals.
    package let functionForms: [String: FunctionForm]
    /// The words of primary keys of one integer column with generated values.
    package let integerKey: IntegerKey
    /// The option of tables with a check of the types of values; `nil` if the dialect lacks it.
    package let strictTableOption: String?
    /// The option of tables stored by primary key; `nil` if the dialect lacks it.
    package let withoutRowIDOption: String?
    /// The names under which a row id is a column of each table; none if tables have no row ids.
    package let rowIDColumns: [String]
    /// The word before values in parentheses as one value, for aggregates to count; `nil` if rows are not
    /// values.
    package let rowConstructor: String?
    package let conflictResolution: ConflictResolution
    /// The syntax of a function, if it is not a call with the same arguments.
    package enum FunctionForm: Sendable {
        /// `CASE WHEN … THEN … ELSE … END`, for three arguments.
        case conditional
        /// A call of another function, between two texts.
        case wrapped(name: String, Delimiters)
        /// A call of another function that ignores NULLs, unless one of several arguments is NULL. A call
        /// with one argument is not changed.
        case nullIfAnyIsNull(name: String)
    }

    package let insertedKeys: InsertedKeys
    package let upserts: Upserts
    /// A query for whether `LIMIT` is possible in UPDATE and DELETE; `nil` if it is not.
    package let limitedChangesQuery: String?
    /// The statements to wait for the migrations of other connections, and to let others continue. They run
    /// outside of transactions. `nil` if a writing transaction excludes all others.
    package let migrationLock: Delimiters?
    package let missingFeatures: Set<Feature>

    /// Creates a dialect. The defaults are the words of SQLite.
    package init(
        systemName: String = "SQLite", hasManySchemas: Bool = false, foldsNames: Bool = false,
        nullSafeEquality: Opposites = .init(positive: "IS", negative: "IS NOT"),
        patternOperator: String = "LIKE", unescapedPatternSuffix: String = "",
        unnamedSubquerySuffix: String = "", tableInMembership: Delimiters = .init(start: "", end: ""),
        unlimitedRowCount: String = "-1",
        booleanLiterals: Opposites = .init(positive: "1", negative: "0"),
        bytesLiteral: Delimiters = .init(start: "X'", end: "'"),
        infinityLiteral: String = "9e999",
        typeNames: [String: String] = [:], binaryJSONType: String = "BLOB",
        parameterCasts: ParameterCasts? = nil,
        functionNames: [String: String] = [:], functionForms: [String: FunctionForm] = [:],
        integerKey: IntegerKey = .init(beforeConstraint: "", neverReused: " AUTOINCREMENT"),
        strictTableOption: String? = "STRICT",
        withoutRowIDOption: String? = "WITHOUT ROWID",
        rowIDColumns: [String] = ["rowid", "oid", "_rowid_"], rowConstructor: String? = nil,
        conflictResolution: ConflictResolution = .allClauses,
        insertedKeys: InsertedKeys = .reported, upserts: Upserts = .anyConflict,
        limitedChangesQuery: String? = nil, migrationLock: Delimiters? = nil,
        missingFeatures: Set<Feature> = []
    ) {
        self.systemName = systemName
        self.hasManySchemas = hasManySchemas
        self.foldsNames = foldsNames
        self.nullSafeEquality = nullSafeEquality
        self.patternOperator = patternOperator
        self.unescapedPatternSuffix = unescapedPatternSuffix
        self.unnamedSubquerySuffix = unnamedSubquerySuffix
        self.tableInMembership = tableInMembership
        self.unlimitedRowCount = unlimitedRowCount
        self.booleanLiterals = booleanLiterals
        self.bytesLiteral = bytesLiteral
        self.infinityLiteral = infinityLiteral
        self.typeNames = typeNames
        self.binaryJSONType = binaryJSONType
        self.parameterCasts = parameterCasts
        infersParameterTypes = parameterCasts != nil
        self.functionNames = functionNames
        self.functionForms = functionForms
        self.integerKey = integerKey
        self.strictTableOption = strictTableOption
        self.withoutRowIDOption = withoutRowIDOption
        self.rowIDColumns = rowIDColumns
        self.rowConstructor = rowConstructor
        self.conflictResolution = conflictResolution
        self.insertedKeys = insertedKeys
        self.upserts = upserts
        self.limitedChangesQuery = limitedChangesQuery
        self.migrationLock = migrationLock
        self.missingFeatures = missingFeatures
    }

    package static let sqlite = SQLDialect(
        limitedChangesQuery: "SELECT sqlite_compileoption_used('ENABLE_UPDATE_DELETE_LIMIT')")

    package func type(_ name: String) -> String {
        typeNames.isEmpty ? name : typeNames[name.uppercased()] ?? name
    }
}

extension SQLDialect {
    package struct Opposites: Sendable {
        package let positive: String
        package let negative: String

        package init(positive: String, negative: String) {
            self.positive = positive
            self.negative = negative
        }
    }

    /// The texts before and after another text.
    package struct Delimiters: Sendable {
        package let start: String
        package let end: String

        package init(start: String, end: String) {
            self.start = start
            self.end = end
        }
    }

    package struct ParameterCasts: Sendable {
        package let integer: String
        package let real: String
        package let text: String
        package let blob: String
        package let integerTypes: Set<String>

        package init(integer: String, real: String, text: String, blob: String, integerTypes: Set<String>) {
            self.integer = integer
            self.real = real
            self.text = text
            self.blob = blob
            self.integerTypes = integerTypes
        }
    }

    package struct IntegerKey: Sendable {
        /// The text between the type and `PRIMARY KEY`.
        package let beforeConstraint: String
        /// The text after `PRIMARY KEY` if values of deleted rows are never reused.
        package let neverReused: String

        package init(beforeConstraint: String, neverReused: String) {
            self.beforeConstraint = beforeConstraint
            self.neverReused = neverReused
        }
    }

    /// The ways to resolve violations of constraints.
    package enum ConflictResolution: Sendable {
        /// INSERT and UPDATE have the clause `OR`, and constraints the clause `ON CONFLICT`.
        case allClauses
        /// INSERT has the clause `ON CONFLICT DO NOTHING`. Other resolutions are not possible.
        case doNothing
    }

    /// How the key of an inserted row is found out.
    package enum InsertedKeys: Sendable {
        /// The library reports the row id of the last insertion. A NULL as integer key stands for a new one.
        case reported
        /// The insertion leaves out NULL columns of the primary key, so that they have their default
        /// values, and returns them.
        case returned
    }

    /// The required parts of an upsert.
    package enum Upserts: Sendable {
        /// It may name no unique key: it then updates the row of any conflict.
        case anyConflict
        /// It must name a unique key, and the table of the columns of the existing row.
        case namedConflict
    }

    /// A feature missing in some dialects, whatever the version of the library.
    package enum Feature: String, Sendable {
        /// Tables with a module of the library behind them.
        case virtualTables = "virtual tables"
        /// Generated columns computed by reads.
        case virtualColumns = "virtual generated columns"
        /// The statement `REINDEX` with a collation.
        case reindexedCollations = "rebuilding the indexes that use a collation"
        /// The operator `MATCH`.
        case fullTextSearch = "full-text search with MATCH"
        /// Views created unless they exist.
        case conditionalViews = "the view option ifNotExists"
        /// Columns declared without a type.
        case untypedColumns = "columns without a type"
        /// New databases without a location, discarded at the end.
        case temporaryDatabases = "comparing the schema with that of a new database"
    }
}
