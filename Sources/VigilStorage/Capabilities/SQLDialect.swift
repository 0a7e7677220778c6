/// The words in which the SQL of a backend differs from that of other backends, for generated SQL.
///
/// Everything else is the same in all dialects: names are quoted with double quotes, and drivers accept `?` for
/// parameters, as in the SQL of apps. A driver that supports several dialects returns one of them for each connection.
///
/// It is a class, so that functions that write one value do not copy all words.
package final class SQLDialect: Sendable {
    /// The name of the schema ``SchemaNaming/main`` in SQL, unquoted.
    package let mainSchema: String
    /// The operator that is true for equal values and for two NULLs, and the one that is false for them.
    package let nullSafeEquality: Opposites
    /// The text after a pattern of LIKE that has no escape character.
    package let unescapedPatternSuffix: String
    /// The text after a subquery in a FROM clause to whose columns nothing refers.
    package let unnamedSubquerySuffix: String
    /// The literals of the two Boolean values.
    package let booleanLiterals: Opposites
    /// The texts before and after the hexadecimal digits of a literal of bytes.
    package let bytesLiteral: Delimiters
    /// The literal of the positive infinite number. It may be preceded by a minus sign.
    package let infinityLiteral: String
    /// The names of types that differ from SQLite's names, which are the keys, in capitals.
    package let typeNames: [String: String]
    /// The names of functions that differ from SQLite's names, which are the keys, in capitals.
    package let functionNames: [String: String]
    /// The words of primary keys of one integer column, which receive a value if an inserted row has none.
    package let integerKey: IntegerKey
    /// The option of tables that reject values of another type than that of their column; `nil` if there is none.
    package let strictTableOption: String?
    /// The option of tables that store rows by their primary key; `nil` if there is none.
    package let withoutRowIDOption: String?
    /// The names under which a row id is a column of each table; none if tables have no row ids.
    package let rowIDColumns: [String]
    /// The ways to resolve violations of constraints.
    package let conflictResolution: ConflictResolution
    /// A query that returns whether `LIMIT` is possible in UPDATE and DELETE; `nil` if it is not.
    package let limitedChangesQuery: String?
    /// The features that the dialect lacks.
    package let missingFeatures: Set<Feature>

    /// Creates a dialect. Words that are not given are those of SQLite.
    package init(
        mainSchema: String = "main",
        nullSafeEquality: Opposites = .init(positive: "IS", negative: "IS NOT"),
        unescapedPatternSuffix: String = "",
        unnamedSubquerySuffix: String = "",
        booleanLiterals: Opposites = .init(positive: "1", negative: "0"),
        bytesLiteral: Delimiters = .init(start: "X'", end: "'"),
        infinityLiteral: String = "9e999",
        typeNames: [String: String] = [:],
        functionNames: [String: String] = [:],
        integerKey: IntegerKey = .init(beforeConstraint: "", neverReused: " AUTOINCREMENT"),
        strictTableOption: String? = "STRICT",
        withoutRowIDOption: String? = "WITHOUT ROWID",
        rowIDColumns: [String] = ["rowid", "oid", "_rowid_"],
        conflictResolution: ConflictResolution = .allClauses,
        limitedChangesQuery: String? = nil,
        missingFeatures: Set<Feature> = []
    ) {
        self.mainSchema = mainSchema
        self.nullSafeEquality = nullSafeEquality
        self.unescapedPatternSuffix = unescapedPatternSuffix
        self.unnamedSubquerySuffix = unnamedSubquerySuffix
        self.booleanLiterals = booleanLiterals
        self.bytesLiteral = bytesLiteral
        self.infinityLiteral = infinityLiteral
        self.typeNames = typeNames
        self.functionNames = functionNames
        self.integerKey = integerKey
        self.strictTableOption = strictTableOption
        self.withoutRowIDOption = withoutRowIDOption
        self.rowIDColumns = rowIDColumns
        self.conflictResolution = conflictResolution
        self.limitedChangesQuery = limitedChangesQuery
        self.missingFeatures = missingFeatures
    }

    /// The dialect of SQLite.
    package static let sqlite = SQLDialect(
        limitedChangesQuery: "SELECT sqlite_compileoption_used('ENABLE_UPDATE_DELETE_LIMIT')")

    /// Returns the name of a type.
    package func type(_ name: String) -> String {
        typeNames.isEmpty ? name : typeNames[name.uppercased()] ?? name
    }
}

extension SQLDialect {
    /// Two words with opposite meanings.
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

    /// The words of a primary key of one integer column.
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

    /// A feature that some dialects lack, whatever the version of the library.
    package enum Feature: String, Sendable {
        /// Tables whose content a module of the library provides.
        case virtualTables = "virtual tables"
        /// Generated columns whose values are computed when they are read.
        case virtualColumns = "virtual generated columns"
        /// The statement `REINDEX` with a collation.
        case reindexedCollations = "rebuilding the indexes that use a collation"
    }
}
