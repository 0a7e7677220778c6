// swift-tools-version: 6.1

import PackageDescription

let package = Package(
    name: "LiveScores",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Vigil", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "LiveScores",
            dependencies: [.product(name: "Vigil", package: "Vigil")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
