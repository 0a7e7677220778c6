// Waits for the server.

#include "CVigilPostgres.h"

#include <errno.h>
#include <poll.h>

int vigil_postgres_wait(int socket, int for_writing, int milliseconds) {
  struct pollfd entry = {.fd = socket, .events = for_writing ? POLLIN | POLLOUT : POLLIN};
  int count = poll(&entry, 1, milliseconds);
  // A signal of the process ends the wait early: the caller looks again.
  return count < 0 && errno == EINTR ? 1 : count;
}
