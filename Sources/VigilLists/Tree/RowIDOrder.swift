/// Returns the indices of numbers in ascending order of the numbers. Equal numbers keep their order.
///
/// Sorts by one byte after the other, from the last to the first, and skips bytes equal in all numbers: row
/// ids usually differ in few bytes.
func stableOrder(of numbers: [UInt64]) -> [Int] {
    guard numbers.count > 64 else {
        return numbers.indices.sorted { numbers[$0] == numbers[$1] ? $0 < $1 : numbers[$0] < numbers[$1] }
    }
    let different = numbers.reduce(0) { $0 | ($1 ^ numbers[0]) }
    var order = Array(numbers.indices)
    var sorted = order
    for shift in stride(from: 0, to: 64, by: 8) where different >> shift & 0xff != 0 {
        var starts = Array(repeating: 0, count: 257)
        for number in numbers { starts[Int(number >> shift & 0xff) + 1] += 1 }
        for byte in 1...256 { starts[byte] += starts[byte - 1] }
        for index in order {
            let byte = Int(numbers[index] >> shift & 0xff)
            sorted[starts[byte]] = index
            starts[byte] += 1
        }
        swap(&order, &sorted)
    }
    return order
}
