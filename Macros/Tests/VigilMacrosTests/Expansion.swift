import Foundation
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import VigilMacroPlugin

/// A source that was expanded.
struct Expansion {
    /// The source with the code that the macros added.
    private let text: String
    /// The extension that the macros added.
    let added: String
    /// The errors with their lines and columns.
    let problems: [String]
    /// The source after the first fix of the first error; `nil` without one.
    let fixed: String?

    /// - Parameter conformingTo: the protocols that the struct does not conform to yet.
    init(
        _ source: String,
        conformingTo protocols: String =
            "FetchableRecord, TableRecord, MutablePersistableRecord, PersistableRecord, Identifiable"
    ) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let conformances = protocols.split(separator: ", ").map { TypeSyntax("\(raw: $0)") }
        let specs = [
            "Record": MacroSpec(type: RecordMacro.self, conformances: conformances),
            "FetchedRecord": MacroSpec(
                type: RecordMacro.self,
                conformances: conformances.filter { $0.trimmedDescription == "FetchableRecord" }),
            "RecordColumn": MacroSpec(type: PropertyMacro.self),
            "RecordNested": MacroSpec(type: PropertyMacro.self),
            "RecordAssociated": MacroSpec(type: PropertyMacro.self),
            "RecordIgnored": MacroSpec(type: PropertyMacro.self),
        ]
        let expanded = file.expand(
            macroSpecs: specs,
            contextGenerator: {
                BasicMacroExpansionContext(
                    sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            }, indentationWidth: .spaces(4))
        let text = expanded.description
        self.text = text
        added =
            text.range(of: "(@available[^\n]*)?nonisolated extension", options: .regularExpression)
            .map { String(text[$0.lowerBound...]) } ?? ""
        problems = context.diagnostics.map { problem in
            let place = context.location(
                for: problem.position, anchoredAt: problem.node, fileName: "Test.swift")
            return "\(place.line):\(place.column) \(problem.message)"
        }
        fixed = context.diagnostics.first?.fixIts.first.flatMap { fix in
            guard case .replace(let old, let new)? = fix.changes.first else { return nil }
            return source.replacingOccurrences(of: old.description, with: new.description)
        }
    }

    /// The source with the added code, with each sequence of white space as one space.
    var oneLine: String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The names of the protocols, without their module.
    var conformances: String {
        let header = added.split(separator: "{").first ?? ""
        let names = header.split(separator: ":").last ?? ""
        return names.split(separator: ",").map { $0.split(separator: ".").last.map(String.init) ?? "" }
            .map { $0.filter { !$0.isWhitespace } }.joined(separator: ", ")
    }

    /// The trimmed lines inside of a function.
    func lines(of function: String) -> [String] {
        let lines = added.split(separator: "\n").map { $0.drop { $0 == " " } }
        return lines.drop { !$0.hasPrefix(function) }.dropFirst().prefix { $0 != "}" }.map(String.init)
    }
}
