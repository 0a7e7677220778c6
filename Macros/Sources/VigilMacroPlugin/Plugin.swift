import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct VigilMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [RecordMacro.self, PropertyMacro.self]
}
