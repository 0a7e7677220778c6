import Foundation

/// The durations of schedule tests.
enum ScheduleSettings {
    /// How long to wait for an expected value. Only a failing test waits this long.
    static let timeout: TimeInterval = 20
}
