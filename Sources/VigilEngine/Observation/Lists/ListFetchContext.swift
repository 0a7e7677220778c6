import VigilRegions

/// The circumstances of the fetch of a list.
struct ListFetchContext {
    /// The state of the observation.
    let memory: ListMemory
    /// The commits since the last fetch that did not modify the list.
    let base: ListBase
    /// The last commit that the snapshot is known to contain.
    let commit: CommitNumber
    /// Whether the fetch may write, so that its own changes are not among those of commits.
    let mayWrite: Bool
    /// The state that this fetch resulted in; `nil` before it has ended. The memory may have a newer one.
    var result: ListSnapshot?

    init(memory: ListMemory, base: ListBase, commit: CommitNumber, mayWrite: Bool) {
        self.memory = memory
        self.base = base
        self.commit = commit
        self.mayWrite = mayWrite
    }
}
