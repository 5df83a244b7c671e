/*
 * Functions that all benchmark programs share: failing with a reason, parsing option values, reading clocks, recording
 * times in a histogram, and using sockets. Each program is one source file, so everything here is static.
 */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* The prefix of error messages; each program sets its own. */
static char bench_name[64] = "bench";

/* Prints the reason to standard error and exits with code 1. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void fail(const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s: ", bench_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

/* ---- values of options ---- */

/* Returns the index of the value in a NULL-terminated array of names. */
static inline int choice(const char *option, const char *value, const char *const *names) {
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(value, names[i]) == 0) {
            return i;
        }
    }
    fail("--%s %s: unknown value", option, value);
}

static inline double number(const char *option, const char *value, double least, double most) {
    char *end;
    double result = strtod(value, &end);
    if (*value == 0 || *end != 0 || !(result >= least && result <= most)) {
        fail("--%s %s: not a number from %g to %g", option, value, least, most);
    }
    return result;
}

/* ---- clocks ---- */

static inline uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

/* ---- histogram with 256 buckets for each power of two, accurate to 0.4 % ---- */

#define BUCKETS (56 * 256 + 256)
static uint64_t buckets[BUCKETS];
static uint64_t recorded;

static inline void record(uint64_t value) {
    int shift = value < 512 ? 0 : 55 - __builtin_clzll(value);
    buckets[(size_t)shift * 256 + (value >> shift)]++;
    recorded++;
}

/* Discards the recorded values. */
static inline void forget_times(void) {
    memset(buckets, 0, sizeof buckets);
    recorded = 0;
}

/* Returns the middle of the bucket that contains this percentile of the values. */
static inline uint64_t percentile(double percent) {
    uint64_t wanted = (uint64_t)((double)recorded * percent / 100.0);
    uint64_t seen = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        seen += buckets[i];
        if (seen > wanted) {
            int shift = i < 512 ? 0 : (int)(i / 256) - 1;
            return ((i - (size_t)shift * 256) << shift) + ((1ull << shift) >> 1);
        }
    }
    return 0;
}

/*
 * Prints these percentiles, in microseconds, as the members of a JSON object. Prints no members if no time was
 * recorded.
 */
static inline void print_percentiles(const char *percentiles) {
    char *list = strdup(percentiles), *rest = NULL;
    const char *separator = "";
    for (char *each = strtok_r(list, ",", &rest); each != NULL && recorded > 0; each = strtok_r(NULL, ",", &rest)) {
        printf("%s\"%s\": %.3f", separator, each, (double)percentile(number("percentiles", each, 0, 100)) / 1e3);
        separator = ", ";
    }
    free(list);
}

/* ---- sockets ---- */

/* Listens on a free port of the loopback interface, prints the port, and returns the socket. */
static inline int listen_anywhere(int backlog) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof name;
    if (s < 0 || bind(s, (struct sockaddr *)&name, sizeof name) != 0 || listen(s, backlog) != 0
            || getsockname(s, (struct sockaddr *)&name, &length) != 0) {
        fail("listen: %s", strerror(errno));
    }
    printf("port %d\n", ntohs(name.sin_port));
    fflush(stdout);
    return s;
}

/* Makes a socket send short messages immediately. */
static inline void no_delay(int s) {
    int one = 1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* Writes all bytes. Returns false on failure and sets errno. */
static inline bool send_all(int s, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(s, bytes, length, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    return true;
}

#endif
