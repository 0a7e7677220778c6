import Foundation

/// How long the tests of schedules go on.
enum ScheduleSettings {
    /// How long to wait for a value that must come. Only a failure waits for so long.
    static let patience: TimeInterval = 20

    /// Whether to begin another schedule or round: as many as belong to the suite, or until the time is over that a long
    /// run was given.
    static func goesOn(after count: Int, of suite: Int, since begin: Date) -> Bool {
        SoakSettings.isLong ? Date() < begin + SoakSettings.seconds : count < suite
    }
}
