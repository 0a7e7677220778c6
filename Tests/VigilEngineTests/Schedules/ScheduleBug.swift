/// A bug planted in the model of the drivers. The checks must find each of them.
enum ScheduleBug: CaseIterable {
    /// Commits between the snapshot and the registration are not replayed.
    case replayLeftOut
    /// The last commit number is read after the snapshot was taken.
    case numberAfterSnapshot
    /// An observer that registers during a transaction is not matched with its changes.
    case registrationsNotMatched
    /// An observer that registers again is matched with both its previous and its new region.
    case registrationsNotifiedTwice
    /// The machine is not notified of a pause.
    case pauseIgnored
    /// Pending callbacks survive the cancellation of an observation.
    case deliveryAfterCancel
    /// An error does not end the observation.
    case valuesAfterError
    /// Observers that become stale during a round are added to it.
    case staleJoinsRound
    /// A round that was overtaken fetches for the rest of its observers, too.
    case overtakenRoundContinues
    /// No reader is requested for observers that wait until another slow fetch ends.
    case slowFetchForgotten
    /// The timer of a pause between two rounds is lost.
    case pauseNotEnded
    /// An initial fetch waits for the end of a pause.
    case initialFetchPaused
    /// A postponed fetch is not repeated.
    case postponedFetchForgotten
    /// The consumer counts as ready before it has received the value.
    case consumerNotAwaited
    /// Commits that occur while the consumer is busy are not fetched.
    case staleValueForgotten
    /// Per-commit fetches rely on the index before the region is registered.
    case perCommitTrustsIndex
    /// The snapshots of single commits are fetched in any order.
    case perCommitOutOfOrder
    /// An observation that ends before its registration stays registered.
    case registeredAfterEnd
    /// A disarmed observer does not register its region again.
    case disarmedForgotten
    /// Notifications lack the commit number, so whether a snapshot contains the commit is unknown.
    case commitsNotNumbered
    /// Demand is not counted.
    case demandIgnored
    /// A closed database does not notify its observations.
    case closingNotNotified

    /// The seed where the search for a schedule that shows the bug begins: no schedule before it does. Most
    /// bugs are found by one of the first schedules.
    var firstSeed: Int {
        switch self {
        case .staleJoinsRound: 200
        case .overtakenRoundContinues, .disarmedForgotten: 150
        case .commitsNotNumbered: 1_200
        default: 1
        }
    }
}
