/// Sections, and the indices of their rows in the list.
struct SectionPlaces: Sendable {
    let runs: [SectionRun]
    /// The index of the end of each section.
    private let ends: [Int]

    init(_ runs: [SectionRun]) {
        self.runs = runs
        var end = 0
        ends = runs.map { run in
            end += run.count
            return end
        }
    }

    func range(of section: Int) -> Range<Int> { (section > 0 ? ends[section - 1] : 0)..<ends[section] }

    func path(ofRow index: Int) -> SectionPath {
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= index { low = middle + 1 } else { high = middle }
        }
        return SectionPath(section: low, row: index - range(of: low).lowerBound)
    }
}
