import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macros `Record` and `FetchedRecord`.
enum RecordMacro: ExtensionMacro, MemberMacro {
    static func expansion(
        of attribute: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var problems: [Diagnostic] = []
        let record = RecordDeclaration(
            attribute, of: declaration, in: context.lexicalContext, &problems)
        for problem in problems { context.diagnose(problem) }
        guard let record, problems.isEmpty else { return [] }
        let missing = protocols.map {
            $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        }
        let code = RecordCode(record, missing: Set(missing), in: context)
        let conformances = code.conformances.isEmpty ? "" : ": \(code.conformances.joined(separator: ", "))"
        let members = code.members.joined(separator: "\n\n")
        return [
            try ExtensionDeclSyntax(
                "\(raw: record.availability)nonisolated extension \(type.trimmed)\(raw: conformances)"
            ) {
                "\(raw: members)"
            }
        ]
    }
}

extension RecordMacro {
    static func expansion(
        of attribute: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The extension reports them.
        var problems: [Diagnostic] = []
        let record = RecordDeclaration(attribute, of: declaration, in: context.lexicalContext, &problems)
        guard let record, problems.isEmpty else { return [] }
        return RecordIdentity(record).members.map { DeclSyntax("\(raw: $0)") }
    }
}

/// The attributes of properties. They are read by `RecordMacro`, and add nothing.
enum PropertyMacro: PeerMacro {
    static func expansion(
        of attribute: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let variable = declaration.as(VariableDeclSyntax.self)
        let enclosing = context.lexicalContext.first?.as(StructDeclSyntax.self)
        let isRecord = enclosing?.attributes.plain.contains { ["Record", "FetchedRecord"].contains($0.name) }
        if isRecord != true {
            context.diagnose(RecordProblem.noRecord.at(attribute))
        } else if variable?.isStoredInInstances != true {
            context.diagnose(RecordProblem.noProperty.at(attribute))
        } else if variable?.isLazy == true, attribute.name != "RecordIgnored" {
            context.diagnose(RecordProblem.lazyProperty.at(attribute))
        }
        return []
    }
}

extension VariableDeclSyntax {
    fileprivate var isStoredInInstances: Bool {
        !modifiers.contains { $0.name.text == "static" } && bindings.allSatisfy(\.isStored)
    }

    fileprivate var isLazy: Bool { modifiers.contains { $0.name.text == "lazy" } }
}
