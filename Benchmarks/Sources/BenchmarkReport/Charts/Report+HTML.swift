extension Report {
    /// A page.
    public var html: String { "" }
}
