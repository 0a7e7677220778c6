import Foundation

/// Two ways to do the same work, timed in turn.
struct Comparison {
    let name: String
    let rounds: Int
    /// Both return what they computed, which must be the same.
    let reference: () throws -> Int64
    let vigil: () throws -> Int64

    struct Disagreement: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs one round that is not counted, then the others, and prints their ratios.
    func run(per count: Int, unit: String) throws {
        var ratios: [Double] = []
        var best = (reference: Double.infinity, vigil: Double.infinity)
        for round in 0...rounds {
            let (expected, referenceTime) = try timed(reference)
            let (actual, vigilTime) = try timed(vigil)
            guard expected == actual else {
                throw Disagreement(description: "\(name): C computed \(expected), Vigil \(actual)")
            }
            guard round > 0 else { continue }
            ratios.append(vigilTime / referenceTime)
            best = (min(best.reference, referenceTime), min(best.vigil, vigilTime))
        }
        ratios.sort()
        let perUnit = 1e6 / Double(count)
        print(
            name.padding(toLength: 28, withPad: " ", startingAt: 0),
            String(
                format: "C %8.3f µs  Vigil %8.3f µs per %@  ratio median %.2f (%.2f to %.2f)",
                best.reference * perUnit, best.vigil * perUnit, unit as NSString, ratios[ratios.count / 2],
                ratios[0],
                ratios[ratios.count - 1]))
    }

    private func timed(_ work: () throws -> Int64) rethrows -> (result: Int64, seconds: Double) {
        let start = ContinuousClock.now
        let result = try work()
        let duration = (ContinuousClock.now - start).components
        return (result, Double(duration.seconds) + Double(duration.attoseconds) * 1e-18)
    }
}
