/// The times at which a clock calls a driver whose pauses supersede each other.
///
/// Most pauses end early. Each leaves its alarm, and the alarm is then set again for the current pause, so
/// most pauses need none. A value without a clock: the driver sets the alarms.
package struct PauseAlarms<Time: Comparable> {
    private var pause: (end: Time, number: Int)?
    /// The highest number of a pause.
    private var lastNumber = 0
    private var alarms: [Time] = []

    package init() {}

    /// Begins a pause. A pause with a lower number than the last one was decided before it, and is ignored.
    ///
    /// - Returns: the time of the alarm to set; `nil` if an earlier one is set.
    package mutating func begin(until end: Time, number: Int) -> Time? {
        guard number >= lastNumber else { return nil }
        lastNumber = number
        pause = (end, number)
        return alarm(at: end)
    }

    /// Handles an alarm.
    ///
    /// - Returns: the number of the pause that has ended, or the time of the next alarm to set.
    package mutating func alarmDidFire(_ time: Time) -> (ended: Int?, alarm: Time?) {
        alarms.removeAll { $0 == time }
        guard let pause else { return (nil, nil) }
        guard pause.end <= time else { return (nil, alarm(at: pause.end)) }
        self.pause = nil
        return (pause.number, nil)
    }

    private mutating func alarm(at time: Time) -> Time? {
        if alarms.contains(where: { $0 <= time }) { return nil }
        alarms.append(time)
        return time
    }
}
