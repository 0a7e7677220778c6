extension CountExpectation {
    private static let vigils: [Engine] = [.vigil, .vigilSQLCipher]

    /// The numbers of fetches and callbacks that Vigil promises.
    public static let all: [CountExpectation] =
        oneObservation + [
            CountExpectation(.unrelatedWrites, vigils, .fetches, .exactly(0)),
            CountExpectation(.unrelatedWrites, vigils, .notifications, .exactly(0)),
            // The expectations without SQLCipher require row images, which Debian's libsqlcipher does not
            // provide.
            CountExpectation(.avoidable, [.vigil], .fetches, .exactly(0)),
            CountExpectation(.avoidable, [.vigil], .notifications, .exactly(0)),
            CountExpectation(.windowOutside, [.vigil], .fetches, .exactly(0)),
            CountExpectation(.windowOutside, [.vigil], .notifications, .exactly(0)),
            CountExpectation(.oneRowHit, [.vigil], .fetches, .exactly(1)),
            CountExpectation(.oneRowHit, [.vigil], .notifications, .exactly(1)),
            CountExpectation(.predicateHit, [.vigil], .fetches, .exactly(1)),
            CountExpectation(.predicateHit, [.vigil], .notifications, .exactly(1)),
            CountExpectation(.equalObservations, vigils, .fetches, .exactly(1)),
            CountExpectation(.equalObservations, vigils, .notifications, .oneForEachObservation),
            CountExpectation(.bulkTransaction, vigils, .notifications, .oneForEachObservation),
        ]

    private static let oneObservation: [CountExpectation] = [
        ScenarioName.oneObservationMemorySQL, .oneObservationQueueSQL, .oneObservationPoolSQL,
        .oneObservationMemoryRecord, .oneObservationQueueRecord, .oneObservationPoolRecord,
    ].flatMap { name in
        [
            CountExpectation(name, [.vigil], .fetches, .exactly(1)),
            CountExpectation(name, [.vigil], .notifications, .exactly(1)),
        ]
    }
}
