package import VigilStorage

extension SQLiteConnection {
    package func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        changes.report(to: sink, interest: interest)
    }
}
