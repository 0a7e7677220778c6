import Foundation

/// The duration of schedule tests.
enum ScheduleSettings {
    /// How long to wait for an expected value. Only a failing test waits this long.
    static let timeout: TimeInterval = 20

    /// Returns whether to run another schedule or round: until the number of the test suite is reached, or
    /// until the duration of a long run has passed.
    static func goesOn(after count: Int, of suite: Int, since begin: Date) -> Bool {
        SoakSettings.isLong ? Date() < begin + SoakSettings.seconds : count < suite
    }
}
