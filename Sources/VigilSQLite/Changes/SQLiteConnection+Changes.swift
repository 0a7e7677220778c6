package import VigilStorage

extension SQLiteConnection {
    package func report(to sink: (any ChangeSink)?, interest: ChangeInterest) {
        reporter.report(to: sink, interest: interest)
    }
}
