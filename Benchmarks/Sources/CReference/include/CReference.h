// The reference work, on the C library alone.

#ifndef CREFERENCE_H
#define CREFERENCE_H

#include <stdint.h>

/// Reads all rows of `sql` and adds up what it reads, so that no read can be left out.
/// Returns the number of rows, or -1 with a failure.
int64_t reference_read_rows(const char *path, const char *sql, int64_t *checksum);

/// A database with `player(id INTEGER PRIMARY KEY, score INTEGER)` and rows 1 to 10,000, and statements for it.
typedef struct reference_players reference_players;

/// Opens a database in memory. NULL with a failure.
reference_players *reference_players_open(void);

/// `count` transactions that update one row each. Returns 0, or the code of a failure.
int reference_players_write(reference_players *players, int count);

/// `count` runs of a prepared query of one row. Returns the sum of the values.
int64_t reference_players_read(reference_players *players, int count);

void reference_players_close(reference_players *players);

#endif
