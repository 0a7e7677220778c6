import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// The arguments of an attribute: a name, and options.
struct RecordArguments {
    var name: String?
    var options: Set<String> = []

    /// Reads the arguments; adds a problem for a name that is not a literal.
    init(_ attribute: AttributeSyntax, _ problems: inout [Diagnostic]) {
        guard case .argumentList(let arguments) = attribute.arguments else { return }
        for argument in arguments {
            if let member = argument.expression.as(MemberAccessExprSyntax.self), member.isOption {
                options.insert(member.declName.baseName.text)
            } else if let literal = argument.expression.as(StringLiteralExprSyntax.self),
                let value = literal.representedLiteralValue
            {
                if value.isEmpty { problems.append(RecordProblem.emptyName.at(literal)) }
                name = value
            } else {
                problems.append(RecordProblem.noLiteral.at(argument.expression))
            }
        }
    }
}

extension MemberAccessExprSyntax {
    private static let optionTypes: Set<String> = [
        "RecordOption", "FetchedRecordOption", "RecordColumnOption",
    ]

    /// Whether it is an option, not a constant of the program.
    fileprivate var isOption: Bool {
        base.map { Self.optionTypes.contains($0.trimmedDescription.lastName) } ?? true
    }
}

extension AttributeSyntax {
    /// The name of the attribute, without a module.
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? ""
    }
}

extension AttributeListSyntax {
    /// The attributes, without those inside of #if.
    var plain: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }
}
