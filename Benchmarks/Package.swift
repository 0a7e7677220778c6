// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "VigilBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Vigil", path: "..")
    ],
    targets: [
        // The same work on the C library: the limit that the figures are held against.
        .target(name: "CReference", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "vigil-benchmark",
            dependencies: ["CReference", .product(name: "Vigil", package: "Vigil")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
