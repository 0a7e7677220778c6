// swift-tools-version: 6.1

import PackageDescription

let vigil = Target.Dependency.product(name: "Vigil", package: "Vigil")
let testing = Target.Dependency.product(name: "VigilTesting", package: "Vigil")

let package = Package(
    name: "MemoryBackend",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Vigil", path: "../..")
    ],
    targets: [
        .target(
            name: "MemoryBackend", dependencies: [vigil, testing],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "MemoryBackendTests", dependencies: ["MemoryBackend", vigil, testing],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
