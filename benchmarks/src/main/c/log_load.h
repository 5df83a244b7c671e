/*
 * The load program of the logs in C, with the options, orders and reports of LoadProgram.java. A program that includes
 * this file implements the functions of a transport, which are declared below.
 */
#ifndef LOG_LOAD_H
#define LOG_LOAD_H

#include <pthread.h>

#include "log_segments.h"

#define MAX_CLIENTS 128
#define WINDOW_BATCHES 1024
#define WINDOW_BYTES (4u << 20)
#define WRITE_LENGTH (256u * 1024)

/* ---- the functions of a transport ---- */

struct link; /* a connection of a client with the server */

/* The end of a topic. */
struct end {
    uint64_t position;
    uint64_t offset; /* number of records in the topic */
};

static struct link *dial(void);
static void hang_up(void); /* closes all links */

/* Opens the topic, and returns its end. */
static struct end open_topic(struct link *link);

/* Prepares for batches of up to `count` records, `together` at once, of which `window` are not acknowledged. */
static void prepare_batches(struct link *link, uint32_t count, uint64_t together, uint64_t window);

/* Appends a batch to the topic, at the latest with the next call to push_batches. */
static void put_batch(struct link *link, uint32_t count, uint64_t number);
static void push_batches(struct link *link);

/* Returns the number of batches acknowledged since the last call. */
static uint64_t take_acknowledgements(struct link *link, bool waits);

/* Waits for the acknowledgement of the only batch. Returns the offset of its first record. */
static uint64_t await_offset(struct link *link);

/*
 * Reads the batches at a position, up to the maximum length or one that is longer, and advances the position. Returns
 * their length in bytes, or 0 if the position is the end.
 */
static size_t read_batches(struct link *link, char *buffer, uint64_t *position);

/*
 * Measures several clients, each of which appends one record, or looks for a record at the end, when its previous
 * operation has ended. Prints "ready" when they are connected.
 */
static void one_by_one(bool appends);

/* ---- options and results ---- */

enum workload { PRODUCE_ONE_BY_ONE, PRODUCE, CONSUME, POLL, END_TO_END };
static const char *const workloads[] = {"PRODUCE_ONE_BY_ONE", "PRODUCE", "CONSUME", "POLL", "END_TO_END", NULL};

static int workload;
static char topic_name[NAME];
static uint32_t size, batch_length, fetch, records, record_batch, clients, rate, partitions;
static const char *percentiles;

static volatile int phase; /* 0 before the measurement, 1 during, 2 after */
static volatile uint64_t progress;
static uint64_t base; /* the topic's offset before the measurement */
static uint64_t sent, faults, measured, measured_ns;
static double per_second, cpu_seconds;

/* Waits for an order, and reads the numbers at that time. While waiting, answers questions about the progress. */
static void order(const char *expected, int next, uint64_t *time_ns, uint64_t *count, uint64_t *cpu_ns) {
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "progress", 8) == 0) {
        printf("progress %llu\n", (unsigned long long)progress);
        fflush(stdout);
    }
    if (strncmp(line, expected, strlen(expected)) != 0) {
        fail("expected \"%s\" on standard input", expected);
    }
    *time_ns = now_ns();
    *count = progress;
    *cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    phase = next;
}

static void *read_orders(void *unused) {
    uint64_t begin_ns, end_ns, begin, end, begin_cpu, end_cpu;
    order("begin", 1, &begin_ns, &begin, &begin_cpu);
    order("end", 2, &end_ns, &end, &end_cpu);
    per_second = (double)(end - begin) * 1e9 / (double)(end_ns - begin_ns);
    cpu_seconds = (double)(end_cpu - begin_cpu) / 1e9;
    return unused;
}

static void time_it(uint64_t start_ns) {
    if (phase == 1) {
        record(now_ns() - start_ns);
    }
}

static void ready(void) {
    printf("ready\n");
    fflush(stdout);
}

/* ---- workloads ---- */

/*
 * Number of records of a batch that fits a length with its header. A record is its length and its value, which begins
 * with its number.
 */
static uint32_t records_in(uint32_t length) {
    uint32_t count = length < sizeof(struct batch) ? 0 : (length - (uint32_t)sizeof(struct batch)) / (size + 4);
    return count == 0 ? 1 : count;
}

/* Returns the length of a number of records. */
static size_t records_length(uint32_t count) {
    return count * (size_t)(size + 4);
}

static void write_records(char *to, uint32_t count, uint64_t number) {
    for (uint32_t i = 0; i < count; i++, to += size + 4) {
        uint64_t each = number + i;
        memcpy(to, &size, 4);
        memcpy(to + 4, &each, 8);
    }
}

/* Waits until the next record is due. */
static void await_due(uint64_t begin_ns) {
    while (phase < 2 && (double)sent * 1e9 > (double)(now_ns() - begin_ns) * rate) {
        usleep(200);
    }
}

/* Sends records until the end, or until there are `most`, with many batches in flight. */
static void produce(struct link *link, uint32_t length, uint64_t most) {
    uint32_t count = length == 0 ? 1 : records_in(length);
    size_t batch_size = sizeof(struct batch) + records_length(count);
    uint64_t window = WINDOW_BYTES / batch_size < WINDOW_BATCHES ? WINDOW_BYTES / batch_size : WINDOW_BATCHES;
    uint64_t together = WRITE_LENGTH / batch_size < 64 ? WRITE_LENGTH / batch_size : 64;
    window = window < 2 ? 2 : window;
    together = together == 0 || rate > 0 ? 1 : together > window / 2 ? window / 2 : together;
    prepare_batches(link, count, together, window);
    uint64_t batches = 0, acknowledged = 0, begin_ns = now_ns();
    while (phase < 2 && sent < most) {
        if (rate > 0) {
            await_due(begin_ns);
        }
        for (uint64_t i = 0; i < together && sent < most; i++, batches++) {
            uint32_t next = most - sent < count ? (uint32_t)(most - sent) : count;
            put_batch(link, next, sent);
            sent += next;
        }
        push_batches(link);
        acknowledged += take_acknowledgements(link, false);
        while (batches - acknowledged > window - together) {
            acknowledged += take_acknowledgements(link, true);
        }
        progress = acknowledged * count;
    }
    while (acknowledged < batches) {
        acknowledged += take_acknowledgements(link, true);
    }
}

/* Checks batches that were read. Returns the number of records. */
static uint64_t check(const char *bytes, size_t length, uint64_t expected) {
    uint64_t count = 0;
    while (length > 0) {
        struct batch header;
        memcpy(&header, bytes, sizeof header);
        bytes += sizeof header;
        faults += crc32c(bytes, header.length) != header.crc || header.offset != base + expected + count;
        for (uint64_t i = 0; i < header.count; i++, count++) {
            uint32_t found_size;
            uint64_t number;
            memcpy(&found_size, bytes + i * (size + 4), 4);
            memcpy(&number, bytes + i * (size + 4) + 4, 8);
            faults += found_size != size || number != expected + count;
        }
        bytes += header.length;
        length -= sizeof header + header.length;
    }
    return count;
}

/* Reads and checks the batches at a position, and advances it. Returns the number of records. */
static uint64_t read_and_check(struct link *link, char *buffer, uint64_t *position, uint64_t expected) {
    size_t length = read_batches(link, buffer, position);
    return check(buffer, length, expected);
}

static void consume(struct link *link) {
    char *buffer = malloc(MAX_BATCH + fetch);
    while (phase < 2) {
        uint64_t position = 0;
        uint64_t next = read_and_check(link, buffer, &position, 0);
        while (next < records && phase < 2) {
            bool counts = phase == 1;
            uint64_t start_ns = now_ns();
            uint64_t count = read_and_check(link, buffer, &position, next);
            uint64_t duration_ns = now_ns() - start_ns;
            if (count == 0) {
                fail("record %llu of %u did not arrive", (unsigned long long)next, records);
            }
            next += count;
            progress = progress + count;
            if (counts) {
                record(duration_ns);
                measured += count;
                measured_ns += duration_ns;
            }
        }
    }
    free(buffer);
}

static void end_to_end(struct link *producer, struct link *consumer) {
    char *buffer = malloc(MAX_BATCH + fetch);
    uint64_t position = open_topic(consumer).position;
    prepare_batches(producer, 1, 1, 1);
    while (phase < 2) {
        uint64_t start_ns = now_ns();
        put_batch(producer, 1, sent);
        push_batches(producer);
        while (read_and_check(consumer, buffer, &position, sent) == 0) {
            continue;
        }
        time_it(start_ns);
        sent++;
        progress = sent;
        faults += await_offset(producer) != base + sent - 1;
    }
    free(buffer);
}

static void report(void) {
    if (workload == CONSUME && measured_ns == 0) {
        fail("no read has ended in the time of the measurement");
    }
    if (workload == CONSUME) {
        per_second = (double)measured * 1e9 / (double)measured_ns;
    }
    printf("{\"perSecond\": %.3f, \"cpuSeconds\": %.6f, \"sent\": %llu, \"faults\": %llu, \"latencyUs\": {", per_second,
            cpu_seconds, (unsigned long long)sent, (unsigned long long)faults);
    print_percentiles(percentiles);
    printf("}}\n");
    fflush(stdout);
}

static void fill_topic(struct link *link) {
    uint64_t count = open_topic(link).offset;
    if (count == 0) {
        produce(link, record_batch, records);
        sent = 0;
        progress = 0;
    } else if (count != records) {
        fail("topic %s has %llu records instead of none", topic_name, (unsigned long long)count);
    }
}

static void run_client(void) {
    struct link *link = dial();
    base = 0;
    if (workload == CONSUME) {
        fill_topic(link);
    } else {
        base = open_topic(link).offset;
    }
    if (workload == PRODUCE_ONE_BY_ONE || workload == POLL) {
        one_by_one(workload == PRODUCE_ONE_BY_ONE);
    } else {
        ready();
        if (workload == PRODUCE) {
            produce(link, batch_length, UINT64_MAX);
        } else if (workload == CONSUME) {
            consume(link);
        } else {
            end_to_end(link, dial());
        }
    }
    uint64_t count = open_topic(link).offset - base;
    faults += workload == CONSUME || workload == POLL ? 0 : count > sent ? count - sent : sent - count;
    hang_up();
}

static void read_option(const char *option) {
    char name[32];
    const char *value = strchr(option, '=');
    if (value == NULL || (size_t)(value - option) >= sizeof name) {
        fail("%s: expected NAME=VALUE", option);
    }
    memcpy(name, option, (size_t)(value - option));
    name[value - option] = 0;
    value++;
    static const char *const numbers[] = {
        "size", "batch", "fetch", "records", "record-batch", "clients", "rate", "partitions", NULL};
    uint32_t *const places[] = {
        &size, &batch_length, &fetch, &records, &record_batch, &clients, &rate, &partitions};
    if (strcmp(name, "workload") == 0) {
        workload = choice(name, value, workloads);
    } else if (strcmp(name, "topic") == 0) {
        snprintf(topic_name, sizeof topic_name, "%s", value);
    } else {
        *places[choice(name, name, numbers)] = (uint32_t)number(name, value, 0, 1 << 30);
    }
}

/* Measures a workload once, with the options in a line. */
static void measure(char *line, void (*run)(void)) {
    for (char *each = strtok(line, " \n"); each != NULL; each = strtok(NULL, " \n")) {
        read_option(each);
    }
    if (size < 8 || clients < 1 || clients > MAX_CLIENTS || partitions != 1) {
        fail("size must be at least 8, clients from 1 to %d, and partitions 1", MAX_CLIENTS);
    }
    phase = 0;
    progress = sent = faults = measured = measured_ns = 0;
    forget_times();
    pthread_t orders;
    int error = pthread_create(&orders, NULL, read_orders, NULL);
    if (error != 0) {
        fail("cannot create the thread that reads the orders: %s", strerror(error));
    }
    run();
    pthread_join(orders, NULL);
    report();
}

/* Measures for each line of standard input. */
static int measure_all(void (*run)(void)) {
    char line[512];
    while (fgets(line, sizeof line, stdin) != NULL) {
        measure(line, run);
    }
    return 0;
}

#endif
