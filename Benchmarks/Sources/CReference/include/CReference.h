// The reference work, on the C library alone.

#ifndef CREFERENCE_H
#define CREFERENCE_H

#include <stdint.h>

/// Reads all rows of `sql` and adds up what it reads, so that no read can be left out.
/// Returns the number of rows, or -1 with a failure.
int64_t reference_read_rows(const char *path, const char *sql, int64_t *checksum);

#endif
