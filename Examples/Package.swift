// swift-tools-version: 6.1

import PackageDescription

let vigil = Target.Dependency.product(name: "Vigil", package: "Vigil")
let testing = Target.Dependency.product(name: "VigilTesting", package: "Vigil")
let swiftSettings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "SQLite", description: "Plain databases with libsqlite3."),
        .trait(name: "SQLCipher", description: "Encrypted databases with libsqlcipher."),
        .trait(
            name: "PostgreSQL", description: "Notes on a server, too. Requires libpq.",
            enabledTraits: ["SQLite", "SQLCipher"]),
        .default(enabledTraits: ["SQLite", "SQLCipher"]),
    ],
    dependencies: [
        // Both libraries: Notes decides when it starts whether its database is encrypted.
        .package(
            name: "Vigil", path: "..",
            traits: [
                .trait(name: "SQLite", condition: .when(traits: ["SQLite"])),
                .trait(name: "SQLCipher", condition: .when(traits: ["SQLCipher"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ])
    ],
    targets: [
        .executableTarget(name: "LiveScores", dependencies: [vigil], swiftSettings: swiftSettings),
        .target(name: "MemoryBackend", dependencies: [vigil, testing], swiftSettings: swiftSettings),
        .testTarget(
            name: "MemoryBackendTests", dependencies: ["MemoryBackend", vigil, testing],
            swiftSettings: swiftSettings),
        .executableTarget(name: "Notes", dependencies: [vigil], swiftSettings: swiftSettings),
    ]
)
