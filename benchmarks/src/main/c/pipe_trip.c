/*
 * Round trips through pipes, which show how fast the system hands messages to a sleeping process. Two processes, with a
 * pipe for each direction, take turns writing a message, and block until they can read the next message.
 *
 * Build: gcc -O2 -Wall -Wextra -o pipe_trip pipe_trip.c
 * Run:   ./pipe_trip SIZE WARMUP-MS DURATION-MS PERCENTILE,...
 * Prints the round trips as one line of JSON, with the processor time of both processes. On failure, the program prints
 * the reason to standard error and exits with code 1.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MAX_SIZE 4096 /* a pipe never splits a write of this length */

static char message[MAX_SIZE];
static size_t size;

/* Reads a whole message. Returns false at the end of the pipe. */
static bool take(int pipe) {
    for (size_t filled = 0; filled < size;) {
        ssize_t count = read(pipe, message + filled, size - filled);
        if (count == 0) {
            return false;
        }
        if (count < 0 && errno != EINTR) {
            fail("read: %s", strerror(errno));
        }
        filled += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static void give(int pipe) {
    if (write(pipe, message, size) != (ssize_t)size) {
        fail("write: %s", strerror(errno));
    }
}

/* Sends messages and awaits the answers until the time has elapsed. */
static void round_trips(int to, int from, uint64_t end_ns) {
    for (uint64_t number = recorded, start_ns = now_ns(); start_ns < end_ns; number++) {
        uint64_t found;
        memcpy(message, &number, sizeof number);
        give(to);
        if (!take(from)) {
            fail("the other process has ended");
        }
        memcpy(&found, message, sizeof found);
        if (found != number) {
            fail("message %llu arrived as %llu", (unsigned long long)number, (unsigned long long)found);
        }
        uint64_t back_ns = now_ns();
        record(back_ns - start_ns);
        start_ns = back_ns;
    }
}

int main(int count, char **arguments) {
    int there[2], back[2];
    clockid_t other_clock;
    strcpy(bench_name, "pipe_trip");
    if (count != 5) {
        fail("usage: pipe_trip SIZE WARMUP-MS DURATION-MS PERCENTILE,...");
    }
    size = (size_t)number("size", arguments[1], sizeof(uint64_t), MAX_SIZE);
    uint64_t warmup_ns = (uint64_t)(number("warmup-ms", arguments[2], 0, 1e6) * 1e6);
    uint64_t duration_ns = (uint64_t)(number("duration-ms", arguments[3], 1, 1e6) * 1e6);
    if (pipe(there) != 0 || pipe(back) != 0) {
        fail("pipe: %s", strerror(errno));
    }
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        fail("fork: %s", strerror(errno));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            return 1;
        }
        close(there[1]);
        close(back[0]);
        while (take(there[0])) {
            give(back[1]);
        }
        return 0;
    }
    close(there[0]);
    close(back[1]);
    if (clock_getcpuclockid(child, &other_clock) != 0) {
        fail("the clock of the other process cannot be read");
    }
    round_trips(there[1], back[0], now_ns() + warmup_ns);
    forget_times();
    uint64_t begin_ns = now_ns(), own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), other_ns = clock_ns(other_clock);
    round_trips(there[1], back[0], begin_ns + duration_ns);
    own_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns;
    other_ns = clock_ns(other_clock) - other_ns;
    printf("{\"perSecond\": %.1f, \"cpuSeconds\": %.6f, \"otherCpuSeconds\": %.6f, \"latencyUs\": {",
            (double)recorded * 1e9 / (double)(now_ns() - begin_ns), (double)own_ns / 1e9, (double)other_ns / 1e9);
    print_percentiles(arguments[4]);
    printf("}}\n");
    close(there[1]);
    waitpid(child, NULL, 0);
    return 0;
}
