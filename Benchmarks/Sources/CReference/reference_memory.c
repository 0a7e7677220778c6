#include "CReference.h"
#include <sys/resource.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__GLIBC__)
#include <malloc.h>
#endif

int64_t reference_allocated_bytes(void) {
#if defined(__APPLE__)
  malloc_statistics_t statistics;
  malloc_zone_statistics(0, &statistics);
  return (int64_t)statistics.size_in_use;
#elif defined(__GLIBC__)
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

int64_t reference_peak_bytes(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage))
    return 0;
#if defined(__APPLE__)
  return usage.ru_maxrss;
#else
  return usage.ru_maxrss * 1024;
#endif
}
