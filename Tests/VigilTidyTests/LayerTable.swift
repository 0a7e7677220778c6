/// A folder under `Sources`, and what it may import.
struct Layer {
    let folder: String
    /// The layers that it may import.
    let layers: Set<String>
    /// The other modules that it may import.
    let others: Set<String>

    init(_ folder: String, layers: Set<String> = [], others: Set<String> = []) {
        self.folder = folder
        self.layers = layers
        self.others = others
    }
}

/// The modules of the toolchain and the system.
private let platform: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Observation",
    "Synchronization",
]

/// The layers, from the lowest to the highest. A layer may import only layers that precede it in this list.
let layerTable: [Layer] = [
    Layer("CVigilSQLite"),
    Layer("CVigilSQLCipherLibrary"),
    Layer("CVigilPostgres"),
    Layer("VigilStorage"),
    Layer("VigilRegions", layers: ["VigilStorage"]),
    // Each version of a list has numbers that no other one in the process has.
    Layer("VigilLists", layers: ["VigilStorage", "VigilRegions"], others: ["Synchronization"]),
    Layer(
        "VigilEngine", layers: ["VigilStorage", "VigilRegions", "VigilLists"],
        others: platform.union(["Logging"])),
    // Requests use the regions that the engine tracks, and rows use the cells of the storage. Members of
    // those types are visible only in files that import their modules.
    Layer(
        "VigilQuery", layers: ["VigilStorage", "VigilRegions", "VigilLists", "VigilEngine"], others: platform),
    Layer("VigilSQLite", layers: ["VigilStorage", "CVigilSQLite"], others: platform),
    Layer(
        "VigilSQLCipher",
        layers: ["VigilStorage", "VigilSQLite", "CVigilSQLite", "CVigilSQLCipherLibrary"],
        others: platform),
    Layer("VigilPostgres", layers: ["VigilStorage", "CVigilPostgres"], others: platform),
    Layer(
        "Vigil",
        layers: [
            "VigilStorage", "VigilRegions", "VigilLists", "VigilEngine", "VigilQuery", "VigilSQLite",
            "VigilSQLCipher", "VigilPostgres",
        ],
        others: platform),
    Layer(
        "VigilCombine", layers: ["Vigil"],
        others: platform.union(["Combine", "OpenCombine", "OpenCombineDispatch"])),
    Layer("VigilRx", layers: ["Vigil"], others: platform.union(["RxSwift"])),
    Layer("VigilMetrics", layers: ["Vigil"], others: platform.union(["Metrics"])),
    Layer("VigilTesting", layers: ["VigilStorage", "VigilEngine"], others: platform),
    Layer(
        "VigilMacroPlugin",
        others: [
            "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
            "SwiftSyntaxMacros",
        ]),
    Layer("VigilMacros", layers: ["Vigil"]),
    Layer("vigil-tool", layers: ["Vigil"], others: platform.union(["ArgumentParser", "Logging"])),
]
