import VigilRegions

/// The circumstances of the fetch of a list.
struct ListFetchContext {
    /// The state of the observation.
    let memory: any ListMemory
    /// The last commit that the snapshot is known to contain.
    let commit: CommitNumber
    /// Whether the fetch may write, so that its own changes are not among those of commits.
    let mayWrite: Bool
    /// The state that this fetch resulted in; `nil` before it has ended. The memory may have a newer one.
    var snapshot: (any ListSnapshot)?

    init(memory: any ListMemory, commit: CommitNumber, mayWrite: Bool) {
        self.memory = memory
        self.commit = commit
        self.mayWrite = mayWrite
    }
}

/// The state that a started observation of a list keeps between its fetches.
///
/// The observer does not know the type of the elements, on which the state depends.
protocol ListMemory: AnyObject, Sendable {
    /// How the list was fetched so far.
    var status: ListStatus { get }

    /// Continues with the state of another observation, which has fetched equal rows from the same snapshot.
    func adopt(_ snapshot: any ListSnapshot)
}

/// The version of a list that a fetch resulted in.
protocol ListSnapshot: Sendable {
    /// A number that no other version of any list has; `nil` for a list that was never fetched.
    var version: UInt64? { get }
}
