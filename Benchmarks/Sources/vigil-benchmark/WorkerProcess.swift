import BenchmarkReport
import BenchmarkWork
import Foundation

/// Runs a round of one engine in a process of its own, so that no engine inherits memory or caches of
/// another.
struct WorkerProcess {
    private let cell: Cell
    private let isQuick: Bool

    init(_ cell: Cell, isQuick: Bool) {
        self.cell = cell
        self.isQuick = isQuick
    }

    private var roundTimeout: Double { Scenario.named(cell.scenario).roundTimeout }

    func run() throws -> WorkerLine {
        let process = Process()
        // A file, because a process that the worker has started may keep a pipe open after the worker has
        // ended.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("worker-\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.executableURL = URL(fileURLWithPath: executablePath)
        process.arguments =
            ["worker", cell.engine.rawValue, cell.scenario.rawValue, "\(cell.n)"]
            + (isQuick ? ["--quick"] : [])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: file)
        let wasTooSlow = Counter()
        try process.run()
        let watch = Deadline(process, seconds: roundTimeout, wasTooSlow)
        process.waitUntilExit()
        watch.cancel()
        let data = try Data(contentsOf: file)
        if wasTooSlow.value > 0 {
            return .absent(reason: "a round took more than \(Int(roundTimeout)) seconds")
        }
        guard process.terminationStatus == 0, let line = data.split(separator: UInt8(ascii: "\n")).last else {
            throw WorkError("\(description) failed with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(WorkerLine.self, from: line)
    }

    private var description: String {
        "\(cell.scenario.rawValue) n=\(cell.n) with \(cell.engine.rawValue)"
    }
}

/// The path of this executable.
var executablePath: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
}

/// Terminates a process that takes too long, and kills it if it does not end.
private struct Deadline {
    private let timer: any DispatchSourceTimer

    init(_ process: Process, seconds: Double, _ wasTooSlow: Counter) {
        let source = DispatchSource.makeTimerSource()
        source.schedule(deadline: .now() + seconds, repeating: 10)
        source.setEventHandler {
            if wasTooSlow.value == 0 {
                process.terminate()
            } else {
                kill(process.processIdentifier, SIGKILL)
            }
            wasTooSlow.increment()
        }
        source.resume()
        timer = source
    }

    func cancel() { timer.cancel() }
}
