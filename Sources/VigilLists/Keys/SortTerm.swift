package import VigilStorage

/// A term of the order of a list.
package typealias SortTerm = ResultPlan.SortTerm
