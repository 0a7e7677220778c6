// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "PostgreSQL", description: "Notes on a server, too. Requires libpq.")],
    dependencies: [
        // Both libraries: the program decides when it starts whether its database is encrypted.
        .package(
            name: "Vigil", path: "../..",
            traits: [
                "SQLite", "SQLCipher",
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ])
    ],
    targets: [
        .executableTarget(
            name: "Notes",
            dependencies: [.product(name: "Vigil", package: "Vigil")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
