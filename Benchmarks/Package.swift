// swift-tools-version: 6.1

import PackageDescription

let swiftSettings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "VigilBenchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "SQLite", description: "Plain databases with libsqlite3."),
        .trait(name: "SQLCipher", description: "Encrypted databases with libsqlcipher."),
        .trait(
            name: "PostgreSQL", description: "The scenarios of servers. Requires libpq.",
            enabledTraits: ["SQLite", "SQLCipher"]),
        .default(enabledTraits: ["SQLite", "SQLCipher"]),
    ],
    dependencies: [
        .package(
            name: "Vigil", path: "..",
            traits: [
                .trait(name: "SQLite", condition: .when(traits: ["SQLite"])),
                .trait(name: "SQLCipher", condition: .when(traits: ["SQLCipher"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        // The same work on the C library, the lower bound of the comparison.
        .target(
            name: "CReference",
            cSettings: [.define("REFERENCE_SERVER", .when(traits: ["PostgreSQL"]))],
            linkerSettings: [
                .linkedLibrary("sqlite3"), .linkedLibrary("pq", .when(traits: ["PostgreSQL"])),
            ]),
        // Statistics, budgets and reports. Only values.
        .target(
            name: "BenchmarkReport",
            dependencies: [.product(name: "Histogram", package: "hdrhistogram-swift")],
            swiftSettings: swiftSettings),
        // Clocks, counters, loops and files that all engines share.
        .target(
            name: "BenchmarkWork",
            dependencies: ["BenchmarkReport", "CReference"],
            swiftSettings: swiftSettings),
        .target(
            name: "CWorkload", dependencies: ["BenchmarkWork", "CReference"], swiftSettings: swiftSettings),
        // VigilWorkload and GRDBWorkload share the folder Scenarios: one source, compiled with each library.
        .target(
            name: "VigilWorkload",
            dependencies: ["BenchmarkWork", .product(name: "Vigil", package: "Vigil")],
            swiftSettings: swiftSettings),
        .target(
            name: "GRDBWorkload",
            dependencies: ["BenchmarkWork", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: swiftSettings + [.define("GRDB")]),
        .executableTarget(
            name: "vigil-benchmark",
            dependencies: [
                "BenchmarkReport", "BenchmarkWork", "CWorkload", "VigilWorkload", "GRDBWorkload",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "BenchmarkReportTests", dependencies: ["BenchmarkReport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "WorkloadTests",
            dependencies: [
                "BenchmarkReport", "BenchmarkWork", "CWorkload", "VigilWorkload", "GRDBWorkload",
            ],
            swiftSettings: swiftSettings),
    ]
)
