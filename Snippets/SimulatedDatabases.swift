// Uses simulated databases, with faults and without capabilities.

import Foundation
import Vigil
import VigilTesting

// snippet.hide
do {
    // snippet.show
    let dbQueue = try DatabaseQueue(
        backend: SimulatedBackend(), location: .memory(name: nil), configuration: Configuration())
    try dbQueue.write { db in
        try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, score INTEGER)")
    }
    // snippet.hide
}
do {
    let configuration = Configuration()
    // snippet.show
    let backend = SimulatedBackend()
    let dbPool = try DatabasePool(
        backend: backend, location: .file(path: "game"), configuration: configuration)
    let other = try DatabaseQueue(
        backend: backend, location: .file(path: "game"), configuration: configuration)
    // snippet.hide
    try other.close()
    try dbPool.close()
}
do {
    let faults = SimulatedFaults()
    let stepHasBegun = DispatchSemaphore(value: 0)
    let mayContinue = DispatchSemaphore(value: 0)
    // snippet.show
    faults.add(
        .slowStep(faults.counts.steps + 1) {
            stepHasBegun.signal()
            mayContinue.wait()
        })
    // snippet.hide
}
do {
    // snippet.show
    let seed = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    print("SEED=\(seed)")
    let faults = SimulatedFaults(
        seed: seed,
        rules: [.random(.busy, probability: 0.05), .random(.ioError, probability: 0.01)])
    // snippet.hide
    print(faults.counts)
}
do {
    // snippet.show
    let coarse = SimulatedBackend(
        reportsRowImages: false, reportsEveryRow: false, allowsConcurrentReaders: false,
        hasForeignChangeToken: false)
    // snippet.hide
    print(coarse.name)
}
do {
    // snippet.show
    let backend = SimulatedBackend(
        feed: SimulatedFeedOptions(seed: 7, longestLag: 20, lossProbability: 0.05, coarseProbability: 0.1))
    // snippet.hide
    print(backend.name)
}
