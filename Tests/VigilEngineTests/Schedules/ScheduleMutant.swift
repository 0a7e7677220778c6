/// A mistake in the model of the drivers: the checks must find each of them.
enum ScheduleMutant: CaseIterable {
    /// What was committed between the snapshot and the registration is not looked at.
    case replayLeftOut
    /// The last commit is asked for when the snapshot is there already.
    case numberAfterSnapshot
    /// Who registers while a transaction goes on is not matched with it.
    case newcomersNotMatched
    /// Who registers again is matched with what he has read before, and with what he reads now.
    case newcomersToldTwice
    /// A pause is not told to the machine.
    case pauseIgnored
    /// Callbacks are kept when an observation is cancelled.
    case deliveryAfterCancel
    /// An error does not end the observation.
    case valuesAfterError
    /// A new round begins while one goes on.
    case roundsSideBySide
    /// The consumer is taken to be ready before it has the value.
    case consumerNotAwaited
    /// Nobody fetches what was committed while the consumer was busy.
    case staleValueForgotten
    /// Each commit is fetched by the index alone, though it does not know yet what is read.
    case laneTrustsIndex
    /// The snapshots of single commits are read in any order.
    case laneOutOfOrder
    /// An observation that ends before it is registered stays registered.
    case registeredAfterEnd
    /// An observation does not know its number yet when commits may touch it.
    case numberComesLate
    /// Who was not told of commits for a while does not say again what he observes.
    case sleeperForgotten
    /// It is not said which commit touched a region, hence not known whether a snapshot has it.
    case commitsNotNumbered
    /// The demand is not counted.
    case demandIgnored
    /// A closed database does not tell its observations.
    case closingUnheard
}
