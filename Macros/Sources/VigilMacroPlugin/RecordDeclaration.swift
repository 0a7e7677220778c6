import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A struct with `@Record` or `@FetchedRecord`.
struct RecordDeclaration {
    /// The modifier of members that are as visible as the struct, with a space; or empty.
    let access: String
    /// The attributes with the availability of the struct and of the types around it, each with a space
    /// behind it.
    let availability: String
    let table: String
    let options: Set<String>
    /// Whether the record belongs to a table.
    let hasTable: Bool
    let properties: [RecordProperty]
    /// The properties of the primary key.
    let key: [RecordProperty]
    /// The names of all members that the struct declares: functions with the labels of their parameters and
    /// the names of the types, without `inout`, modules and generic arguments.
    let members: Set<String>
    /// The names of the protocols in the declaration, without modules.
    let inherited: Set<String>
    /// Whether the struct declares a function `willInsert` or `didInsert` that changes it.
    let changesOnInsertion: Bool

    init?(
        _ attribute: AttributeSyntax, of declaration: some DeclGroupSyntax, in enclosing: [Syntax],
        _ problems: inout [Diagnostic]
    ) {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            problems.append(RecordProblem.noStruct(attribute.name).at(attribute))
            return nil
        }
        let arguments = RecordArguments(attribute, &problems)
        hasTable = attribute.name == "Record"
        options = arguments.options
        table = arguments.name ?? structure.name.text.withoutBackticks.tableName
        inherited = Set(
            structure.inheritanceClause?.inheritedTypes.map { $0.type.trimmedDescription.lastName } ?? [])
        let declared = structure.modifiers.accessLevel
        // In an extension with a modifier, it holds for all members.
        let level = declared ?? enclosing.first?.as(ExtensionDeclSyntax.self)?.modifiers.accessLevel
        access = level.flatMap { ["public", "package"].contains($0) ? "\($0) " : nil } ?? ""
        // The members of a private extension are visible in the whole file.
        if declared == "private", !enclosing.isEmpty {
            problems.append(RecordProblem.privateMember.at(structure.name))
        }
        // The extension is outside of the enclosing types.
        let declarations: [any WithAttributesSyntax] =
            enclosing.compactMap { $0.asProtocol((any WithAttributesSyntax).self) } + [structure]
        availability = declarations.flatMap(\.attributes.plain).filter { $0.name == "available" }
            .map { "\($0.trimmedDescription) " }.joined()
        var properties: [RecordProperty] = []
        var members: Set<String> = []
        var changesOnInsertion = false
        for member in structure.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                properties += RecordProperty.properties(of: variable, options: options, &problems)
                for binding in variable.bindings { members.insert(binding.pattern.trimmedDescription) }
            } else if let function = member.decl.as(FunctionDeclSyntax.self) {
                guard !function.modifiers.contains(where: { $0.name.text == "static" }) else { continue }
                members.insert(function.name.text + function.signature.parameterClause.labelsAndTypes)
                if ["willInsert", "didInsert"].contains(function.name.text),
                    function.modifiers.contains(where: { $0.name.text == "mutating" })
                {
                    changesOnInsertion = true
                }
            } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                members.insert("init" + initializer.signature.parameterClause.labelsAndTypes)
            } else if let type = member.decl.asProtocol((any NamedDeclSyntax).self) {
                members.insert(type.name.text)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self), condition.concernsRecord {
                problems.append(RecordProblem.conditional.at(condition.clauses.first?.poundKeyword ?? "#if"))
            }
        }
        self.properties = properties
        self.members = members
        self.changesOnInsertion = changesOnInsertion
        let marked = properties.filter(\.isPrimaryKey)
        key = marked.isEmpty && !options.contains("keyless") ? properties.filter { $0.name == "id" } : marked
        check(structure, &problems)
    }

    private func check(_ structure: StructDeclSyntax, _ problems: inout [Diagnostic]) {
        var known: [String: RecordProperty] = [:]
        for property in properties {
            if case .nested = property.role { continue }
            if case .associated = property.role {
                if hasTable { problems.append(RecordProblem.associated.at(property.pattern)) }
                continue
            }
            // Names of columns are equal regardless of the case of ASCII letters.
            let name = String(property.column.map { $0.isASCII ? Character($0.lowercased()) : $0 })
            if let first = known[name] {
                let note = Note(
                    node: Syntax(first.pattern), message: PropertyNote(message: "'\(first.name)' has it"))
                let problem = RecordProblem.duplicate(property.column)
                problems.append(problem.at(property.pattern, notes: [note]))
            }
            known[name] = property
        }
        guard hasTable else { return }
        if options.contains("keyless") {
            for property in key { problems.append(RecordProblem.keyOfKeyless.at(property.pattern)) }
        } else if key.isEmpty {
            problems.append(RecordProblem.noKey.at(structure.name))
        }
        // Columns with the option have a problem at their attribute.
        for property in key where !property.isPrimaryKey {
            guard case .column(let isJSON, let isGenerated) = property.role else { continue }
            if isJSON { problems.append(RecordProblem.keyOfJSON.at(property.pattern)) }
            if isGenerated { problems.append(RecordProblem.generatedKey.at(property.pattern)) }
        }
    }
}

extension IfConfigDeclSyntax {
    /// Whether a clause declares a stored property, or a possible member of a macro.
    fileprivate var concernsRecord: Bool {
        clauses.contains { clause in
            guard case .decls(let members)? = clause.elements else { return false }
            return members.contains { Self.concernsRecord($0.decl) }
        }
    }

    private static let names: Set<String> = [
        "Columns", "ID", "id", "databaseTableName", "databaseSelection", "encode", "willInsert", "didInsert",
    ]

    private static func concernsRecord(_ declaration: DeclSyntax) -> Bool {
        if let variable = declaration.as(VariableDeclSyntax.self) {
            let isOfInstances = variable.modifiers.allSatisfy { !["static", "lazy"].contains($0.name.text) }
            return variable.bindings.contains {
                isOfInstances && $0.isStored || names.contains($0.pattern.trimmedDescription)
            }
        }
        if let condition = declaration.as(IfConfigDeclSyntax.self) { return condition.concernsRecord }
        if let initializer = declaration.as(InitializerDeclSyntax.self) {
            return initializer.signature.parameterClause.labelsAndTypes == "(row: Row)"
        }
        guard let named = declaration.asProtocol((any NamedDeclSyntax).self) else { return false }
        return names.contains(named.name.text)
    }
}

extension FunctionParameterClauseSyntax {
    /// The labels and types of the parameters, in parentheses.
    fileprivate var labelsAndTypes: String {
        let parameters = parameters.map { parameter in
            let type = parameter.type.as(AttributedTypeSyntax.self)?.baseType ?? parameter.type
            return "\(parameter.firstName.text): \(type.trimmedDescription.lastName)"
        }
        return "(\(parameters.joined(separator: ", ")))"
    }
}

extension String {
    /// The last part of a name with dots, without generic arguments.
    var lastName: String {
        String(prefix { $0 != "<" }.split(separator: ".").last ?? "")
    }
}

private struct PropertyNote: NoteMessage {
    let message: String
    var noteID: MessageID { MessageID(domain: "VigilMacros", id: "property") }
}

extension DeclModifierListSyntax {
    /// The declared access level, if any.
    fileprivate var accessLevel: String? {
        let levels: Set<String> = ["open", "public", "package", "internal", "fileprivate", "private"]
        return map(\.name.text).first(where: levels.contains)
    }
}
