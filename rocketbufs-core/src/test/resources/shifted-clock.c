/* Replaces the clock functions of the C library and shifts the time of day. The file CLOCK_SHIFT contains two 64-bit
 * numbers: the shift in seconds, and a counter of the calls that returned a shifted time. Monotonic clocks are not
 * changed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shared;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("CLOCK_SHIFT");
  int file = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  void *mapped = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) {
    shared = mapped;
  }
}

int clock_gettime(clockid_t id, struct timespec *time) {
  int result = (int) syscall(SYS_clock_gettime, id, time);
  int is_time_of_day = id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_time_of_day && shared != NULL && shared[0] != 0) {
    time->tv_sec += shared[0];
    __atomic_add_fetch(&shared[1], 1, __ATOMIC_RELAXED);
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void) zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != NULL) {
    *place = now.tv_sec;
  }
  return now.tv_sec;
}
