/// Compares the imports of all files under `Sources` with the layer table.
///
/// The build compares them with the manifest: `Scripts/test --warnings-as-errors` checks that each target
/// declares the modules that its files import.
func layerFindings(in files: [SourceFile]) -> [Finding] { files.flatMap(importFindings) }

func importFindings(in file: SourceFile) -> [Finding] {
    guard file.isSource, let folder = file.module else { return [] }
    guard let layer = layerTable.first(where: { $0.folder == folder }) else {
        return [
            Finding(
                rule: .layers, path: file.path,
                message: "the folder \(folder) is not in the layer table (LayerTable.swift)")
        ]
    }
    return imports(of: file).compactMap { line, module in
        guard !layer.layers.contains(module), !layer.others.contains(module) else { return nil }
        return Finding(
            rule: .layers, path: file.path, line: line, message: "\(folder) may not import \(module)")
    }
}

/// Returns the modules that a file imports, also those inside of `#if`.
func imports(of file: SourceFile) -> [(line: Int, module: String)] {
    let modifiers = #"(?:(?:@\w+(?:\([^)\n]*\))?|public|package|internal|fileprivate|private)[ \t]+)*"#
    let kinds = #"(?:(?:struct|class|enum|actor|protocol|typealias|func|var|let)[ \t]+)?"#
    return file.matches(#"^[ \t]*"# + modifiers + #"import[ \t]+"# + kinds + #"(\w+)"#).map {
        ($0.line, $0.text)
    }
}
