// Opens encrypted databases with libraries other than the system's. Requires the trait SQLCipher.

import Foundation
import Vigil

#if SQLCipher
    // snippet.hide
    let secret = "correct horse battery staple"
    // snippet.show
    // Another build of SQLCipher, instead of the system's.
    let newer = SQLCipherBackend(
        key: .passphrase(secret), library: .path("/opt/sqlcipher/lib/libsqlcipher.so"))

    // A framework that the app contains.
    let frameworks = Bundle.main.privateFrameworksPath ?? ""
    let embedded = SQLCipherBackend(
        key: .passphrase(secret), library: .path(frameworks + "/SQLCipher.framework/SQLCipher"))
    // snippet.hide
    _ = (newer, embedded)
#endif
