// swift-tools-version: 6.1

import CompilerPluginSupport
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func syntax(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-syntax") }

func vigil(_ product: String) -> Target.Dependency { .product(name: product, package: "Vigil") }

// A package of its own, so that programs without macros do not build swift-syntax.
let package = Package(
    name: "VigilMacros",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "VigilMacros", targets: ["VigilMacros"])],
    traits: [
        .trait(name: "SQLite", description: "Plain databases with libsqlite3."),
        .trait(name: "SQLCipher", description: "Encrypted databases with libsqlcipher."),
        .trait(name: "PostgreSQL", description: "Databases on a PostgreSQL server, with libpq."),
        .default(enabledTraits: ["SQLite"]),
    ],
    dependencies: [
        .package(
            name: "Vigil", path: "..",
            traits: [
                .trait(name: "SQLite", condition: .when(traits: ["SQLite"])),
                .trait(name: "SQLCipher", condition: .when(traits: ["SQLCipher"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0"),
    ],
    targets: [
        .macro(
            name: "VigilMacroPlugin",
            dependencies: [
                syntax("SwiftCompilerPlugin"), syntax("SwiftDiagnostics"), syntax("SwiftParser"),
                syntax("SwiftSyntax"),
                syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacros"),
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "VigilMacros", dependencies: [vigil("Vigil"), "VigilMacroPlugin"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "VigilMacrosTests",
            dependencies: [
                vigil("Vigil"), vigil("VigilTesting"), "VigilMacros", "VigilMacroPlugin",
                syntax("SwiftDiagnostics"), syntax("SwiftParser"), syntax("SwiftSyntax"),
                syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacroExpansion"),
                syntax("SwiftSyntaxMacros"),
            ],
            swiftSettings: swiftSettings),
        // Tests of the records of Vigil itself, whose records have these macros here.
        .testTarget(
            name: "VigilMacrosSuiteTests", dependencies: [vigil("Vigil"), "VigilMacros"],
            swiftSettings: swiftSettings + [.define("RECORD_MACROS")]),
    ]
)
