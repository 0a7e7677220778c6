// swift-tools-version: 6.1

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let vigil = Target.Dependency.product(name: "Vigil", package: "Vigil")

// A package of its own, so that programs that use Vigil do not fetch the packages of its tool.
let package = Package(
    name: "VigilTool",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "vigil", targets: ["vigil-tool"])],
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
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "vigil-tool",
            dependencies: [
                vigil, .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "VigilToolTests", dependencies: [vigil, "vigil-tool"], swiftSettings: swiftSettings),
    ]
)
