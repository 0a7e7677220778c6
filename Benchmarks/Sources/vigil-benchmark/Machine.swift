import BenchmarkReport
import CWorkload
import Foundation

extension Report.Machine {
    /// The machine that runs this process.
    static var current: Report.Machine {
        Report.Machine(
            system: system, processor: processor, cores: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: Int(ProcessInfo.processInfo.physicalMemory), swift: compiler,
            sqlite: CWorkload.libraryVersion, loadBefore: load, loadAfter: load)
    }

    static var today: String {
        let date = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
        return String(format: "%04d-%02d-%02d", date.year ?? 0, date.month ?? 0, date.day ?? 0)
    }

    /// The load average of the last minute.
    static var load: Double {
        var averages = [0.0]
        return getloadavg(&averages, 1) == 1 ? averages[0] : 0
    }

    private static var system: String {
        var name = utsname()
        guard uname(&name) == 0 else { return ProcessInfo.processInfo.operatingSystemVersionString }
        return "\(text(&name.sysname)) \(text(&name.release)) \(text(&name.machine))"
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static var processor: String {
        let facts = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = facts.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
            ?? "unknown processor"
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "Swift 6.4 or later"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #elseif compiler(>=6.2)
            "Swift 6.2"
        #else
            "Swift 6.1"
        #endif
    }
}
