extension CountExpectation {
    private static let vigils: [Engine] = [.vigil, .vigilSQLCipher]

    /// What Vigil promises of counts.
    public static let all: [CountExpectation] = [
        CountExpectation(.unrelatedWrites, vigils, .fetches, .exactly(0)),
        CountExpectation(.unrelatedWrites, vigils, .notifications, .exactly(0)),
        // What is promised of Vigil alone needs the values of changed rows, which Debian's libsqlcipher does not tell.
        CountExpectation(.avoidable, [.vigil], .fetches, .exactly(0)),
        CountExpectation(.avoidable, [.vigil], .notifications, .exactly(0)),
        CountExpectation(.oneRowHit, [.vigil], .fetches, .exactly(1)),
        CountExpectation(.oneRowHit, [.vigil], .notifications, .exactly(1)),
        CountExpectation(.predicateHit, [.vigil], .fetches, .exactly(1)),
        CountExpectation(.predicateHit, [.vigil], .notifications, .exactly(1)),
        CountExpectation(.equalObservations, vigils, .fetches, .exactly(1)),
        CountExpectation(.equalObservations, vigils, .notifications, .oneForEachObservation),
        CountExpectation(.bulkTransaction, vigils, .notifications, .oneForEachObservation),
    ]
}
