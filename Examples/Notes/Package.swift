// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Both libraries: the program decides when it starts whether its database is encrypted.
        .package(name: "Vigil", path: "../..", traits: ["SQLite", "SQLCipher"])
    ],
    targets: [
        .executableTarget(
            name: "Notes",
            dependencies: [.product(name: "Vigil", package: "Vigil")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
