import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property of a record.
struct RecordProperty {
    enum Role {
        /// - Parameter isGenerated: whether the database computes the value.
        case column(isJSON: Bool, isGenerated: Bool)
        /// Another record in columns of the same row.
        case nested
        /// Another record in a scope of the row, or records fetched along with it.
        case associated
        case ignored
    }

    /// The identifier, in backticks if it needs them.
    let identifier: String
    let type: TypeSyntax
    let role: Role
    /// The name of the column, or of the scope.
    let column: String
    let isPrimaryKey: Bool
    let isConstant: Bool
    let pattern: PatternSyntax

    var name: String { identifier.withoutBackticks }

    /// The type in `T?` or `Optional<T>`.
    var wrappedType: TypeSyntax? { type.wrapped }

    /// Whether the column contains a value, and not JSON.
    var isValue: Bool { if case .column(isJSON: false, _) = role { true } else { false } }

    var isColumn: Bool { if case .column = role { true } else { false } }
}

extension RecordProperty {
    /// Returns the stored properties of a declaration, and adds problems.
    static func properties(
        of variable: VariableDeclSyntax, options: Set<String>, _ problems: inout [Diagnostic]
    ) -> [RecordProperty] {
        let modifiers = Set(variable.modifiers.map(\.name.text))
        guard modifiers.isDisjoint(with: ["static", "lazy"]) else { return [] }
        let attributes = PropertyAttributes(variable, &problems)
        var properties: [RecordProperty] = []
        // In `var a, b: Int`, the type follows the last name.
        var type: TypeSyntax?
        for binding in variable.bindings.reversed() {
            type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
            guard binding.isStored else { continue }
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                if !attributes.isIgnored { problems.append(RecordProblem.tuple.at(binding.pattern)) }
                continue
            }
            let identifier = pattern.identifier.text
            let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
            let hasValue = binding.initializer != nil
            if attributes.isIgnored {
                if !hasValue, isConstant || type?.isNilByDefault != true {
                    problems.append(RecordProblem.ignoredWithoutValue(identifier).at(pattern))
                }
                continue
            }
            if isConstant, hasValue {
                problems.append(RecordProblem.constantWithValue(identifier).at(pattern))
                continue
            }
            guard let known = type ?? binding.initializer?.value.literalType else {
                problems.append(RecordProblem.noType(identifier).at(pattern))
                continue
            }
            properties.append(
                RecordProperty(
                    identifier: identifier, type: known.trimmed, role: attributes.role,
                    column: attributes.name
                        ?? columnName(identifier.withoutBackticks, attributes.role, options: options),
                    isPrimaryKey: attributes.isPrimaryKey, isConstant: isConstant,
                    pattern: PatternSyntax(pattern)))
            attributes.check(known, of: variable, &problems)
        }
        return properties.reversed()
    }

    private static func columnName(_ name: String, _ role: Role, options: Set<String>) -> String {
        if case .associated = role { return name }
        return options.contains("snakeCase") ? name.snakeCase : name
    }
}

/// The attributes of a property.
private struct PropertyAttributes {
    var role = RecordProperty.Role.column(isJSON: false, isGenerated: false)
    var name: String?
    var isPrimaryKey = false

    var isIgnored: Bool { if case .ignored = role { true } else { false } }

    init(_ variable: VariableDeclSyntax, _ problems: inout [Diagnostic]) {
        var count = 0
        for attribute in variable.attributes.plain {
            let arguments: RecordArguments
            switch attribute.name {
            case "RecordColumn":
                arguments = RecordArguments(attribute, &problems)
                isPrimaryKey = arguments.options.contains("primaryKey")
                let isJSON = arguments.options.contains("json")
                let isGenerated = arguments.options.contains("generated")
                if isPrimaryKey, isJSON { problems.append(RecordProblem.keyOfJSON.at(attribute)) }
                if isPrimaryKey, isGenerated { problems.append(RecordProblem.generatedKey.at(attribute)) }
                role = .column(isJSON: isJSON, isGenerated: isGenerated)
            case "RecordNested":
                arguments = RecordArguments(attribute, &problems)
                role = .nested
            case "RecordAssociated":
                arguments = RecordArguments(attribute, &problems)
                role = .associated
            case "RecordIgnored":
                arguments = RecordArguments(attribute, &problems)
                role = .ignored
            default: continue
            }
            name = arguments.name
            count += 1
            if count > 1 { problems.append(RecordProblem.conflict.at(attribute)) }
        }
    }

    /// Adds a problem if values of a type have no such role.
    func check(_ type: TypeSyntax, of variable: VariableDeclSyntax, _ problems: inout [Diagnostic]) {
        switch role {
        case .column(let isJSON, _):
            let value = type.wrapped ?? type
            if value.isCollection {
                if !isJSON {
                    problems.append(RecordProblem.collection(type).at(type, fixIt: Self.addJSON(variable)))
                }
            } else if !value.isNominal {
                problems.append(RecordProblem.unsupported(type).at(type))
            }
        case .nested:
            if type.wrapped != nil { problems.append(RecordProblem.optionalNested.at(type)) }
        case .associated, .ignored: break
        }
    }

    private static func addJSON(_ variable: VariableDeclSyntax) -> FixIt {
        if let attribute = variable.attributes.plain.first(where: { $0.name == "RecordColumn" }) {
            let arguments = [attribute.arguments?.trimmedDescription ?? "", ".json"].filter { !$0.isEmpty }
            var changed: AttributeSyntax =
                "@\(attribute.attributeName.trimmed)(\(raw: arguments.joined(separator: ", ")))"
            changed.leadingTrivia = attribute.leadingTrivia
            changed.trailingTrivia = attribute.trailingTrivia
            return FixIt(
                message: RecordProblem.addJSON,
                changes: [.replace(oldNode: Syntax(attribute), newNode: Syntax(changed))])
        }
        var changed = variable
        let trivia = variable.leadingTrivia
        changed.leadingTrivia = []
        changed.attributes.insert(
            .attribute("\(raw: trivia)@RecordColumn(.json) "), at: changed.attributes.startIndex)
        return FixIt(
            message: RecordProblem.addJSON,
            changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(changed))])
    }
}

extension PatternBindingSyntax {
    /// Whether the binding has storage: no accessors but observers.
    var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}

extension ExprSyntax {
    /// The type that Swift infers for a literal.
    fileprivate var literalType: TypeSyntax? {
        switch self.kind {
        case .integerLiteralExpr: "Swift.Int"
        case .floatLiteralExpr: "Swift.Double"
        case .stringLiteralExpr: "Swift.String"
        case .booleanLiteralExpr: "Swift.Bool"
        default: nil
        }
    }
}

extension TypeSyntax {
    /// The type in `T?` or `Optional<T>`.
    var wrapped: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
        if let name = self.as(IdentifierTypeSyntax.self), name.name.text == "Optional",
            case .type(let type)? = name.genericArgumentClause?.arguments.first?.argument
        {
            return type
        }
        return nil
    }

    /// Whether Swift initializes variables with nil. It does not for `Optional<T>`.
    fileprivate var isNilByDefault: Bool {
        self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    }

    /// Whether this is an array, a dictionary or a set.
    fileprivate var isCollection: Bool {
        if self.is(ArrayTypeSyntax.self) || self.is(DictionaryTypeSyntax.self) { return true }
        guard let name = self.as(IdentifierTypeSyntax.self), name.genericArgumentClause != nil else {
            return false
        }
        return ["Array", "Dictionary", "Set"].contains(name.name.text)
    }

    fileprivate var isNominal: Bool { self.is(IdentifierTypeSyntax.self) || self.is(MemberTypeSyntax.self) }
}

extension String {
    var withoutBackticks: String { filter { $0 != "`" } }

    /// The words of a name in lower case, separated by underscores, as Vigil's strategies for coding keys
    /// convert them.
    var snakeCase: String {
        let letters = Array(self)
        var starts: [Int] = []
        var rest = letters.dropFirst()
        while let capital = rest.firstIndex(where: \.isUppercase) {
            starts.append(capital)
            guard let small = rest[capital...].firstIndex(where: \.isLowercase) else { break }
            if small - 1 > capital { starts.append(small - 1) }
            rest = rest[(small + 1)...]
        }
        let words = zip([0] + starts, starts + [letters.count]).map { String(letters[$0..<$1]).lowercased() }
        return words.joined(separator: "_")
    }

    /// The name of a type's table: with the initial letter or acronym in lower case.
    var tableName: String {
        let capitals = prefix { $0.isASCII && $0.isUppercase }.count
        let lowered = capitals == count ? capitals : max(1, capitals - 1)
        return prefix(lowered).lowercased() + dropFirst(lowered)
    }

    /// A literal of the string.
    var literal: String { StringLiteralExprSyntax(content: self).description }
}
