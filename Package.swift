// swift-tools-version: 6.1

import PackageDescription

/// The settings of all Swift targets.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// All dependencies of the targets so far, direct or not, by the names of the targets.
nonisolated(unsafe) var dependenciesOfTargets: [String: [Target.Dependency]] = [:]

/// Adds the targets that a target depends on through others: a target is compiled again only if a module of
/// its own dependencies has changed, and the module of a target in between may remain the same.
func complete(_ dependencies: [Target.Dependency], of name: String) -> [Target.Dependency] {
    var completed: [Target.Dependency] = []
    var names: Set<String> = []
    // Direct ones come first: others may have a condition.
    let others = dependencies.flatMap { dependenciesOfTargets[$0.targetName ?? ""] ?? [] }
    for dependency in dependencies + others {
        if let name = dependency.targetName, !names.insert(name).inserted { continue }
        completed.append(dependency)
    }
    dependenciesOfTargets[name] = completed.filter { $0.targetName != nil }
    return completed
}

extension Target.Dependency {
    /// The name of a target of this package; `nil` for a product of another one.
    var targetName: String? {
        switch self {
        case .byNameItem(let name, _), .targetItem(let name, _): name
        default: nil
        }
    }
}

func layer(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .target(
        name: name, dependencies: complete(dependencies, of: name), path: path, swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: complete(dependencies, of: name), swiftSettings: swiftSettings)
}

/// OpenCombine, on the platforms without Combine.
let openCombine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch"].map { name in
    .product(
        name: name, package: "OpenCombine",
        condition: .when(platforms: [.linux, .android, .windows], traits: ["OpenCombine"]))
}

let rxSwift = Target.Dependency.product(
    name: "RxSwift", package: "RxSwift", condition: .when(traits: ["RxSwift"]))

func metrics(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-metrics", condition: .when(traits: ["Metrics"]))
}

let package = Package(
    name: "Vigil",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        // SwiftPM compiles a target of a program again only if a module of these targets changed. `Vigil`
        // itself rarely does, and code inlined by the program must not remain from an earlier version of the
        // others.
        .library(
            name: "Vigil",
            targets: [
                "Vigil", "VigilEngine", "VigilLists", "VigilQuery", "VigilRegions", "VigilSQLCipher",
                "VigilSQLite", "VigilStorage",
            ]),
        .library(name: "VigilCombine", targets: ["VigilCombine"]),
        .library(name: "VigilRx", targets: ["VigilRx"]),
        .library(name: "VigilMetrics", targets: ["VigilMetrics"]),
        .library(name: "VigilTesting", targets: ["VigilTesting"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "Plain databases with libsqlite3."),
        .trait(
            name: "SQLCipher",
            description:
                "Encrypted databases with libsqlcipher: linked, or loaded at run time alongside libsqlite3."),
        .trait(
            name: "OpenCombine",
            description: "The publishers of VigilCombine on platforms without the Combine framework."),
        .trait(name: "PostgreSQL", description: "Databases on a PostgreSQL server, with libpq."),
        .trait(name: "RxSwift", description: "The observables of VigilRx."),
        .trait(name: "Metrics", description: "The metrics of VigilMetrics."),
        .default(enabledTraits: ["SQLite"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        // Resolved only if their traits are enabled.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/ReactiveX/RxSwift", from: "6.9.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "CVigilSQLite",
            cSettings: [
                .define("VIGIL_TRAIT_SQLITE", .when(traits: ["SQLite"])),
                .define("VIGIL_TRAIT_SQLCIPHER", .when(traits: ["SQLCipher"])),
            ],
            linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["SQLite"]))]),
        .systemLibrary(name: "CVigilSQLCipherLibrary"),
        .target(
            name: "CVigilPostgres",
            cSettings: [.define("VIGIL_TRAIT_POSTGRESQL", .when(traits: ["PostgreSQL"]))],
            linkerSettings: [.linkedLibrary("pq", .when(traits: ["PostgreSQL"]))]),
        layer("VigilStorage", []),
        layer("VigilRegions", ["VigilStorage"]),
        layer("VigilLists", ["VigilStorage", "VigilRegions"]),
        layer(
            "VigilEngine",
            [
                "VigilStorage", "VigilRegions", "VigilLists", .product(name: "Logging", package: "swift-log"),
            ]),
        layer("VigilQuery", ["VigilStorage", "VigilRegions", "VigilLists", "VigilEngine"]),
        layer("VigilSQLite", ["VigilStorage", "CVigilSQLite"]),
        layer(
            "VigilSQLCipher",
            [
                "VigilStorage", "VigilSQLite", "CVigilSQLite",
                .target(name: "CVigilSQLCipherLibrary", condition: .when(traits: ["SQLCipher"])),
            ]),
        layer("VigilPostgres", ["VigilStorage", "CVigilPostgres"]),
        layer(
            "Vigil",
            [
                "VigilStorage", "VigilRegions", "VigilLists", "VigilEngine", "VigilQuery", "VigilSQLite",
                "VigilSQLCipher",
                .target(name: "VigilPostgres", condition: .when(traits: ["PostgreSQL"])),
            ]),
        layer("VigilCombine", ["Vigil"] + openCombine),
        layer("VigilRx", ["Vigil", rxSwift]),
        layer("VigilMetrics", ["Vigil", metrics("Metrics")]),
        layer("VigilTesting", ["VigilStorage", "VigilEngine"]),
        // Generates random statements for tests.
        layer("VigilRandomSQL", ["VigilStorage", "VigilTesting"], path: "Tests/VigilRandomSQL"),
        // Helpers of several test targets.
        layer(
            "VigilTestSupport", ["Vigil", "VigilEngine", "VigilLists", "VigilStorage", "VigilTesting"],
            path: "Tests/VigilTestSupport"),
        tests("VigilStorageTests", ["VigilStorage"]),
        tests("VigilRegionsTests", ["VigilStorage", "VigilRegions", "VigilTestSupport"]),
        tests("VigilListsTests", ["VigilStorage", "VigilRegions", "VigilLists", "VigilTestSupport"]),
        tests(
            "VigilSQLiteTests",
            [
                "VigilStorage", "VigilSQLite", "VigilSQLCipher", "VigilTesting", "VigilRandomSQL",
                "VigilTestSupport",
            ]),
        tests("VigilSQLCipherTests", ["VigilStorage", "VigilSQLite", "VigilSQLCipher", "VigilTestSupport"]),
        tests("VigilPostgresTests", ["VigilStorage", "VigilPostgres", "VigilTesting", "VigilTestSupport"]),
        // The whole library on a server.
        tests(
            "VigilServerTests",
            ["Vigil", "VigilStorage", "VigilPostgres", "VigilTestSupport"]),
        tests("VigilTestingTests", ["Vigil", "VigilStorage", "VigilTesting", "VigilTestSupport"]),
        tests(
            "VigilEngineTests",
            [
                "Vigil", "VigilEngine", "VigilRegions", "VigilStorage", "VigilTesting", "VigilTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            "VigilOracleTests",
            [
                "Vigil", "VigilEngine", "VigilStorage", "VigilTesting", "VigilRandomSQL", "VigilTestSupport",
            ]),
        tests("VigilTests", ["Vigil", "VigilStorage", "VigilTestSupport"]),
        tests(
            "VigilQueryTests",
            ["Vigil", "VigilQuery", "VigilEngine", "VigilPostgres", "VigilStorage", "VigilTestSupport"]),
        // The samples of the documents that describe GRDB and RxGRDB.
        tests(
            "ReferenceTests",
            ["Vigil", "VigilCombine", "VigilRx", "VigilTestSupport"] + openCombine + [rxSwift]),
        tests("VigilCombineTests", ["VigilCombine", "VigilTestSupport"] + openCombine),
        tests("VigilRxTests", ["VigilRx", "VigilTestSupport", rxSwift]),
        tests(
            "VigilMetricsTests",
            ["VigilMetrics", "VigilTestSupport", metrics("Metrics"), metrics("MetricsTestKit")]),
        tests("VigilTidyTests", []),
    ]
)

// Scripts/test leaves out targets whose tests it does not run with some traits.
let leftOut = (Context.environment["VIGIL_LEFT_OUT_TESTS"] ?? "").split(separator: ",").map(String.init)
package.targets.removeAll { leftOut.contains($0.name) }
