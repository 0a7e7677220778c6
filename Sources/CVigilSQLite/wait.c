// Waits for a descriptor, with a time that is shorter than the milliseconds of poll().

#define _GNU_SOURCE
#include "CVigilSQLite.h"

#ifdef __linux__
#include <poll.h>
#include <time.h>

void vigil_wait_until_readable(int descriptor, long nanoseconds) {
  struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
  struct timespec time = {.tv_sec = 0, .tv_nsec = nanoseconds};
  ppoll(&waiting, 1, &time, 0);
}
#endif
