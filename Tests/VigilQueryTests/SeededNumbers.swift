import Foundation

/// Random numbers that a seed determines.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    /// Returns whether an event with the probability 1/`bound` occurs.
    mutating func once(in bound: Int) -> Bool { next(bound) == 0 }
}

/// Returns the seed of a random test, and prints it.
func randomSeed(_ name: String) -> UInt64 {
    let seed = ProcessInfo.processInfo.environment["VIGIL_SEED"].flatMap { UInt64($0) } ?? 20_261_122
    print("\(name): VIGIL_SEED=\(seed)")
    return seed
}
