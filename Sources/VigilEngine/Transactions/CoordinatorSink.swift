import VigilRegions
import VigilStorage

/// The sink of the connection. Connections hold their sink weakly; a weak reference to the coordinator would make
/// its retains and releases slower.
final class CoordinatorSink: ChangeSink {
    // Safe: the coordinator clears it when it is released.
    unowned(unsafe) var coordinator: CommitCoordinator?

    func rowInterest(in table: TableName, _ kind: RowChange.Kind) -> RowInterest {
        coordinator?.rowInterest(in: table, kind) ?? .nothing
    }
    func didChange(_ event: ChangeEvent) { coordinator?.didChange(event) }
    func willCommit() -> Bool { coordinator?.willCommit() ?? true }
    func didRollback() { coordinator?.didRollback() }
}
