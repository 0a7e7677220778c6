import Foundation
import VigilEngine
import VigilStorage
import XCTest

final class TextAndBytesConversionTests: XCTestCase {
    private let invalidUTF8: [UInt8] = [0x41, 0xC3, 0x28, 0xFF]

    func testTextIsStoredUnchanged() {
        for text in ["", "Arthur", "zero \0 inside", "e\u{301}", "👩‍👩‍👧", String(repeating: "long", count: 1000)]
        {
            assertStores(text, as: .text(text))
        }
        XCTAssertEqual(String.fromDatabaseValue("a\0b".databaseValue)?.utf8.count, 3)
    }

    func testBlobIsReadAsTextIfItIsValidUTF8() {
        assertReads(.blob(Array("naïve".utf8)), as: "naïve")
        assertReads(.blob([]), as: "")
        assertReads(.blob(invalidUTF8), as: String?.none)
    }

    func testTextThatIsNotValidUTF8IsRepaired() {
        let text = invalidUTF8.withUnsafeBytes { String.fromCell(StorageCell(borrowingText: $0)) }
        XCTAssertEqual(text, "A\u{FFFD}(\u{FFFD}")
    }

    func testTextThatIsNotValidUTF8KeepsItsBytesAsData() {
        let data = invalidUTF8.withUnsafeBytes { Data.fromCell(StorageCell(borrowingText: $0)) }
        XCTAssertEqual(data, Data(invalidUTF8))
    }

    func testNumbersAreNotReadAsText() {
        assertReads(.integer(1), as: String?.none)
        assertReads(.real(1), as: String?.none)
        assertReads(.integer(1), as: Data?.none)
    }

    func testDataIsStoredAsBlob() {
        assertStores(Data(), as: .blob([]))
        assertStores(Data(invalidUTF8), as: .blob(invalidUTF8))
        assertStores(Data([9, 1, 2, 3]).dropFirst(), as: .blob([1, 2, 3]))
        assertReads(.text("é"), as: Data([0xC3, 0xA9]))
        assertReads(.null, as: Data?.none)
    }

    func testUUIDIsStoredAsBlobAndReadFromBlobOrText() throws {
        let uuid = try XCTUnwrap(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        let bytes: [UInt8] = [
            0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
        ]
        assertStores(uuid, as: .blob(bytes))
        assertReads(.text("00112233-4455-6677-8899-aabbccddeeff"), as: uuid)
        assertReads(.text("00112233445566778899aabbccddeeff"), as: UUID?.none)
        assertReads(.blob(Array(bytes.dropLast())), as: UUID?.none)
        assertReads(.blob([]), as: UUID?.none)
        XCTAssertEqual(NSUUID(uuidString: uuid.uuidString)?.databaseValue, uuid.databaseValue)
    }

    func testUUIDIsReadFromUnalignedBytes() {
        let bytes = (0..<17).map(UInt8.init)
        let uuid = bytes.withUnsafeBytes {
            UUID(cell: StorageCell(borrowingBlob: UnsafeRawBufferPointer(rebasing: $0.dropFirst())))
        }
        XCTAssertEqual(uuid?.uuidString, "01020304-0506-0708-090A-0B0C0D0E0F10")
    }

    func testURLIsStoredAsAbsoluteText() throws {
        let base = try XCTUnwrap(URL(string: "https://example.com/a/"))
        let url = try XCTUnwrap(URL(string: "b?c=d", relativeTo: base))
        XCTAssertEqual(url.databaseValue.storage, .string("https://example.com/a/b?c=d"))
        XCTAssertEqual(URL.fromDatabaseValue(url.databaseValue), url.absoluteURL)
        XCTAssertEqual(
            NSURL(string: "https://example.com")?.databaseValue, "https://example.com".databaseValue)
        XCTAssertNil(URL.fromDatabaseValue("".databaseValue))
    }

    func testFoundationClassesAreStoredAsTheirSwiftCounterparts() {
        XCTAssertEqual(NSString(string: "é").databaseValue, "é".databaseValue)
        XCTAssertEqual(NSString.fromDatabaseValue("é".databaseValue), NSString(string: "é"))
        XCTAssertEqual(NSData(data: Data([1])).databaseValue, Data([1]).databaseValue)
        XCTAssertEqual(NSData.fromDatabaseValue(Data([1]).databaseValue), NSData(data: Data([1])))
        XCTAssertEqual(
            NSDate(timeIntervalSince1970: 1).databaseValue, Date(timeIntervalSince1970: 1).databaseValue)
        XCTAssertEqual(
            NSDate.fromDatabaseValue(1.databaseValue)?.timeIntervalSince1970, 1)
        XCTAssertTrue(NSNull().databaseValue.isNull)
        XCTAssertNil(NSNull.fromDatabaseValue(.null))
    }
}
