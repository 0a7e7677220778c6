// swift-tools-version: 6.2
// 6.2 is the version that hummingbird requires.

import PackageDescription

let package = Package(
    name: "LiveBoard",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "SQLite", description: "Boards in files, with libsqlite3."),
        .trait(name: "SQLCipher", description: "Vigil is built for encrypted databases, too."),
        .trait(
            name: "PostgreSQL", description: "Boards on a server, too. Requires libpq.",
            enabledTraits: ["SQLite"]),
        .default(enabledTraits: ["SQLite"]),
    ],
    dependencies: [
        .package(
            name: "Vigil", path: "../..",
            traits: [
                .trait(name: "SQLite", condition: .when(traits: ["SQLite"])),
                .trait(name: "SQLCipher", condition: .when(traits: ["SQLCipher"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    ],
    targets: [
        .executableTarget(
            name: "LiveBoard",
            dependencies: [
                .product(name: "Vigil", package: "Vigil"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "LiveBoardLoad",
            dependencies: [
                .product(name: "Vigil", package: "Vigil"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "LiveBoardTests",
            // Not HummingbirdTesting, which would also build an HTTP client with BoringSSL.
            dependencies: [
                "LiveBoard",
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
