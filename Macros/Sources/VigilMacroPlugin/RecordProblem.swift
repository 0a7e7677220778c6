import SwiftDiagnostics
import SwiftSyntax

/// An error in the declaration of a record.
struct RecordProblem: DiagnosticMessage, FixItMessage {
    /// The identifier of the kind of error.
    let kind: String
    let message: String

    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "VigilMacros", id: kind) }
    var fixItID: MessageID { diagnosticID }

    func at(_ node: some SyntaxProtocol, notes: [Note] = [], fixIt: FixIt? = nil) -> Diagnostic {
        Diagnostic(node: node, message: self, notes: notes, fixIts: fixIt.map { [$0] } ?? [])
    }
}

extension RecordProblem {
    static func noStruct(_ macro: String) -> RecordProblem {
        RecordProblem(kind: "noStruct", message: "@\(macro) requires a struct")
    }

    static let privateMember = RecordProblem(
        kind: "privateMember",
        message: "a macro cannot extend a private type inside of another one: declare it fileprivate")
    static let tuple = RecordProblem(
        kind: "tuple", message: "declare each column for itself, or mark the declaration with @RecordIgnored")
    static let noLiteral = RecordProblem(
        kind: "noLiteral", message: "a name must be a string literal without interpolation")
    static let emptyName = RecordProblem(kind: "emptyName", message: "a name must not be empty")
    static let conditional = RecordProblem(
        kind: "conditional", message: "a macro cannot know which members #if compiles")
    static let conflict = RecordProblem(
        kind: "conflict", message: "this attribute contradicts another one of the property")

    static func noType(_ name: String) -> RecordProblem {
        RecordProblem(kind: "noType", message: "the column '\(name)' needs a type annotation")
    }

    static func unsupported(_ type: TypeSyntax) -> RecordProblem {
        RecordProblem(
            kind: "unsupportedType",
            message: "\(type.trimmedDescription) is not stored in a column: mark it with @RecordIgnored")
    }

    static func collection(_ type: TypeSyntax) -> RecordProblem {
        RecordProblem(
            kind: "collection",
            message:
                "\(type.trimmedDescription) is stored as JSON: mark it with @RecordColumn(.json)")
    }

    static let addJSON = RecordProblem(kind: "addJSON", message: "add @RecordColumn(.json)")

    static func duplicate(_ column: String) -> RecordProblem {
        RecordProblem(kind: "duplicateColumn", message: "another property has the column '\(column)'")
    }

    static let noKey = RecordProblem(
        kind: "noKey",
        message:
            "the record has no primary key: name a property 'id', mark its properties with @RecordColumn(.primaryKey), or write @Record(.keyless)"
    )
    static let keyOfKeyless = RecordProblem(
        kind: "keyOfKeyless", message: "a keyless record has no primary key")
    static let keyOfJSON = RecordProblem(
        kind: "keyOfJSON", message: "a column of the primary key cannot contain JSON")
    static let generatedKey = RecordProblem(
        kind: "generatedKey", message: "a generated column cannot belong to the primary key")

    static func constantWithValue(_ name: String) -> RecordProblem {
        RecordProblem(
            kind: "constantWithValue",
            message: "'\(name)' has its value already: declare it with 'var', or mark it with @RecordIgnored")
    }

    static func ignoredWithoutValue(_ name: String) -> RecordProblem {
        RecordProblem(
            kind: "ignoredWithoutValue", message: "'\(name)' is not decoded, and needs a value here")
    }

    static let associated = RecordProblem(
        kind: "associated", message: "associated records require @FetchedRecord")
    static let optionalNested = RecordProblem(
        kind: "optionalNested",
        message: "a nested record cannot be optional: it is decoded from the whole row")

    static let noProperty = RecordProblem(
        kind: "noProperty", message: "this attribute requires a stored property of an instance")
    static let lazyProperty = RecordProblem(
        kind: "lazyProperty", message: "a lazy property has no column, and is neither decoded nor saved")
    static let noRecord = RecordProblem(
        kind: "noRecord", message: "this attribute requires a struct with @Record or @FetchedRecord")
}
