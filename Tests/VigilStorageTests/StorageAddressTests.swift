import VigilStorage
import XCTest

final class StorageAddressTests: XCTestCase {
    func testDescriptionsShowThePlaceAndNoPassword() {
        let descriptions = [
            (
                "postgres://app:hunter2@db.example.com:5433/shop?sslmode=require",
                "postgres://db.example.com:5433/shop"
            ),
            ("postgresql:///shop?host=/tmp&password=hunter2", "postgresql:///shop"),
            ("postgres://app:hun?ter2/@x@db/shop", "postgres://db/shop"),
            ("host=db port=5433 user=app password=hunter2 dbname=shop", "host=db port=5433 dbname=shop"),
            (#"password = 'hunter2 host=x\' ' dbname = 'my shop'"#, "dbname=my shop"),
            ("password='hunter2", "server"), ("password=hunter2\\", "server"), ("hunter2", "server"),
            ("", "server"),
            ("dbname=postgres://app:hunter2@db/shop", "server"), ("service=prod", "service=prod"),
        ]
        for (string, description) in descriptions {
            let address = StorageAddress(string)
            XCTAssertEqual(address.description, description)
            var dumped = ""
            dump(StorageLocation.server(address), to: &dumped)
            for text in [
                dumped, "\(address)", "\(StorageLocation.server(address))", String(reflecting: address),
            ] {
                XCTAssertFalse(text.contains("ter2"), text)
            }
        }
    }
}
