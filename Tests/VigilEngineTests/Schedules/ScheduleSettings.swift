import Foundation

/// How long the tests of schedules go on.
enum ScheduleSettings {
    /// How long to wait for a value that must come. Only a failure waits for so long.
    static let patience: TimeInterval = 20
}
