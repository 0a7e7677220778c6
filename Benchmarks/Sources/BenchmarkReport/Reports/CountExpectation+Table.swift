extension CountExpectation {
    private static let vigils: [Engine] = [.vigil, .vigilSQLCipher]

    /// What Vigil promises of counts. Those with `holds: false` are promised and not kept yet: change them to be
    /// asserted with the change that makes them true.
    public static let all: [CountExpectation] = [
        CountExpectation(.unrelatedWrites, vigils, .fetches, .exactly(0)),
        CountExpectation(.unrelatedWrites, vigils, .notifications, .exactly(0)),
        // Needs the values of changed rows, which Debian's libsqlcipher does not tell.
        CountExpectation(.avoidable, [.vigil], .fetches, .exactly(0)),
        CountExpectation(.avoidable, [.vigil], .notifications, .exactly(0)),
        CountExpectation(.oneRowHit, [.vigil], .fetches, .exactly(1), holds: false),
        CountExpectation(.oneRowHit, [.vigil], .notifications, .exactly(1), holds: false),
        CountExpectation(.predicateHit, [.vigil], .fetches, .exactly(1), holds: false),
        CountExpectation(.predicateHit, [.vigil], .notifications, .exactly(1), holds: false),
        CountExpectation(.equalObservations, vigils, .fetches, .exactly(1), holds: false),
        CountExpectation(.equalObservations, vigils, .notifications, .oneForEachObservation),
        CountExpectation(.bulkTransaction, vigils, .notifications, .oneForEachObservation),
    ]
}
