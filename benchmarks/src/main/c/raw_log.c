/*
 * A log that shows the practical limit: one thread that appends the batches of its producers to mapped files, with a
 * checksum, and sends them to its consumers out of these files. It has topics, but no recovery, no index and no checks.
 *
 * The same program is the load program for this log, with the options, orders and reports of LoadProgram.java; and for
 * the disk: it then writes the records to files, without a server.
 *
 * Build: gcc -O2 -Wall -Wextra -pthread -o raw_log raw_log.c
 * Run:   ./raw_log server DIR FLUSH              FLUSH: 1 to force batches to the disk before they are acknowledged;
 *                                                prints "port N"; ends when its standard input ends
 *        ./raw_log client PORT PERCENTILES       for each line OPTION=VALUE... that it reads: prints "ready"; reads
 *                                                "progress", "begin" and "end"; prints a JSON object
 *        ./raw_log disk DIR PERCENTILES          as above
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define SEGMENT (64ull << 20)
#define KEPT 8 /* segments of a topic */
#define MAX_TOPICS 256
#define MAX_PEERS 130
#define MAX_BATCH (2u << 20)
#define NAME 32
#define WINDOW_BATCHES 1024
#define WINDOW_BYTES (4u << 20)
#define WRITE_LENGTH (256u * 1024)

enum kind { OPEN = 1, APPEND, READ };

/* A request, followed by `length` bytes: a topic's name (OPEN) or a batch (APPEND). Topics are numbers afterwards. */
struct request {
    uint32_t kind;
    uint32_t length; /* of READ: maximum number of bytes to read */
    uint32_t topic;
    uint32_t count;    /* records of APPEND */
    uint64_t position; /* of READ */
};

/* The answer to OPEN, and the header of the answer to READ. The answer to APPEND is only the offset. */
struct answer {
    uint64_t length;   /* bytes that follow; of OPEN: the topic's number */
    uint64_t position; /* of the first byte; of OPEN: the end */
    uint64_t offset;   /* of OPEN: number of records in the topic */
};

/* The header of a batch in a file. A length of 0 ends a segment. */
struct batch {
    uint32_t length;
    uint32_t crc;
    uint64_t offset;
    uint64_t count;
};

/* ---- CRC-32C ---- */

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c(const char *bytes, size_t length) {
    uint64_t crc = 0xffffffffu, word;
    for (; length >= 8; length -= 8, bytes += 8) {
        memcpy(&word, bytes, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    for (; length > 0; length--, bytes++) {
        crc = __builtin_ia32_crc32qi((uint32_t)crc, (unsigned char)*bytes);
    }
    return ~(uint32_t)crc;
}
#else
static uint32_t crc32c(const char *bytes, size_t length) {
    static uint32_t table[256];
    if (table[1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value >> 1) ^ ((value & 1) != 0 ? 0x82f63b78u : 0);
            }
            table[i] = value;
        }
    }
    uint32_t crc = 0xffffffffu;
    for (; length > 0; length--, bytes++) {
        crc = (crc >> 8) ^ table[(crc ^ (unsigned char)*bytes) & 255];
    }
    return ~crc;
}
#endif

/* ---- the server's topics ---- */

struct topic {
    char name[NAME];
    char *maps[KEPT]; /* segment i is in place i % KEPT */
    int files[KEPT];
    uint64_t segments; /* number of segments so far */
    uint64_t end;
    uint64_t offset;
    bool is_dirty;
};

static const char *folder;
static struct topic topics[MAX_TOPICS];
static uint32_t topic_count;
static bool flushes;

static void file_name(char *path, size_t length, const struct topic *topic, uint64_t segment) {
    snprintf(path, length, "%s/%s-%llu", folder, topic->name, (unsigned long long)segment);
}

/* Forces the newest segment to the disk. */
static void flush(struct topic *topic) {
    topic->is_dirty = false;
    if (fdatasync(topic->files[(topic->segments - 1) % KEPT]) != 0) {
        fail("fdatasync of topic %s: %s", topic->name, strerror(errno));
    }
}

/* Creates a file with the length of a segment. */
static int create_segment(const char *path, int access) {
    int file = open(path, access | O_CREAT | O_TRUNC, 0600);
    if (file < 0) {
        fail("cannot open %s: %s", path, strerror(errno));
    }
    int error = posix_fallocate(file, 0, SEGMENT);
    if (error != 0) {
        fail("cannot allocate 64 MiB for %s: %s", path, strerror(error));
    }
    return file;
}

/* Opens the next segment, and deletes the oldest one if there are too many. */
static void add_segment(struct topic *topic) {
    char path[4096];
    size_t place = topic->segments % KEPT;
    if (flushes && topic->is_dirty) {
        flush(topic);
    }
    if (topic->segments >= KEPT) {
        munmap(topic->maps[place], SEGMENT);
        close(topic->files[place]);
        file_name(path, sizeof path, topic, topic->segments - KEPT);
        unlink(path);
    }
    file_name(path, sizeof path, topic, topic->segments);
    int file = create_segment(path, O_RDWR);
    char *map = mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) {
        fail("%s: %s", path, strerror(errno));
    }
    topic->files[place] = file;
    topic->maps[place] = map;
    topic->end = topic->segments * SEGMENT;
    topic->segments++;
}

static uint32_t find_topic(const char *name, size_t length) {
    if (length >= NAME) {
        fail("the name of a topic is too long");
    }
    for (uint32_t i = 0; i < topic_count; i++) {
        if (strlen(topics[i].name) == length && memcmp(topics[i].name, name, length) == 0) {
            return i;
        }
    }
    if (topic_count == MAX_TOPICS) {
        fail("too many topics");
    }
    memcpy(topics[topic_count].name, name, length);
    add_segment(&topics[topic_count]);
    return topic_count++;
}

static char *at(const struct topic *topic, uint64_t position) {
    return topic->maps[position / SEGMENT % KEPT] + position % SEGMENT;
}

/* Appends a batch. Returns the offset of its first record. */
static uint64_t append(struct topic *topic, const char *bytes, uint32_t length, uint32_t count) {
    size_t needed = sizeof(struct batch) + length;
    if (topic->end + needed > topic->segments * SEGMENT) {
        add_segment(topic); /* the rest of the old one is 0 */
    }
    struct batch header = {
        .length = length, .crc = crc32c(bytes, length), .offset = topic->offset, .count = count};
    char *place = at(topic, topic->end);
    memcpy(place + sizeof header, bytes, length);
    memcpy(place, &header, sizeof header);
    topic->end += needed;
    topic->offset += count;
    topic->is_dirty = true;
    return header.offset;
}

/* Sends the whole batches from a position on, up to a length, or one that is longer. */
static bool send_batches(int s, const struct topic *topic, uint64_t position, uint32_t most) {
    struct batch header = {0};
    uint64_t end = topic->end;
    if (position < end && position / SEGMENT < topic->segments - 1) {
        if (SEGMENT - position % SEGMENT >= sizeof header) {
            memcpy(&header, at(topic, position), sizeof header);
        }
        position = header.length > 0 ? position : (position / SEGMENT + 1) * SEGMENT;
        end = position / SEGMENT < topic->segments - 1 ? (position / SEGMENT + 1) * SEGMENT : end;
    }
    if (position / SEGMENT + KEPT < topic->segments) {
        fail("a consumer reads records that are deleted");
    }
    struct answer answer = {.position = position};
    while (end - (position + answer.length) >= sizeof header) {
        memcpy(&header, at(topic, position + answer.length), sizeof header);
        size_t next = sizeof header + header.length;
        if (header.length == 0 || (answer.length > 0 && answer.length + next > most)) {
            break;
        }
        answer.length += next;
    }
    return send(s, &answer, sizeof answer, MSG_NOSIGNAL | (answer.length > 0 ? MSG_MORE : 0)) == sizeof answer
            && send_all(s, at(topic, position), answer.length);
}

/* Forces the topics that have changed to the disk: once for all batches that have arrived meanwhile. */
static void flush_topics(void) {
    for (uint32_t i = 0; i < topic_count; i++) {
        if (topics[i].is_dirty) {
            flush(&topics[i]);
        }
    }
}

/* ---- the server ---- */

struct peer {
    int socket;
    char *buffer;
    size_t filled;
    uint64_t offsets[WINDOW_BATCHES]; /* of batches that are not yet acknowledged */
    size_t offset_count;
};

static struct peer peers[MAX_PEERS];
static struct pollfd polls[MAX_PEERS + 2]; /* the input, the listener, the peers */
static int peer_count;

static void close_peer(int i) {
    close(peers[i].socket);
    free(peers[i].buffer);
    peer_count--;
    peers[i] = peers[peer_count];
    polls[2 + i] = polls[2 + peer_count];
}

static bool acknowledge(struct peer *peer) {
    size_t length = peer->offset_count * sizeof peer->offsets[0];
    peer->offset_count = 0;
    return length == 0 || send_all(peer->socket, (const char *)peer->offsets, length);
}

/* Executes a request. Returns false if the peer has gone. */
static bool execute(struct peer *peer, const struct request *request, const char *body) {
    struct answer answer;
    if (request->kind == OPEN) {
        answer.length = find_topic(body, request->length);
        answer.position = topics[answer.length].end;
        answer.offset = topics[answer.length].offset;
        return send_all(peer->socket, (const char *)&answer, sizeof answer);
    }
    if (request->topic >= topic_count) {
        fail("there is no topic %u", request->topic);
    }
    struct topic *topic = &topics[request->topic];
    if (request->kind == READ) {
        return send_batches(peer->socket, topic, request->position, request->length);
    }
    peer->offsets[peer->offset_count++] = append(topic, body, request->length, request->count);
    if (peer->offset_count < WINDOW_BATCHES) {
        return true;
    }
    if (flushes) {
        flush_topics();
    }
    return acknowledge(peer);
}

/* Reads once from a peer, and executes what is complete. Returns false if the peer has gone. */
static bool serve(struct peer *peer) {
    size_t capacity = MAX_BATCH + sizeof(struct request), used = 0;
    ssize_t count = recv(peer->socket, peer->buffer + peer->filled, capacity - peer->filled, 0);
    if (count <= 0) {
        return false;
    }
    peer->filled += (size_t)count;
    while (peer->filled - used >= sizeof(struct request)) {
        struct request request;
        memcpy(&request, peer->buffer + used, sizeof request);
        size_t body = request.kind == READ ? 0 : request.length;
        if (body > MAX_BATCH) {
            fail("a batch is too long: %zu bytes", body);
        }
        if (peer->filled - used < sizeof request + body) {
            break;
        }
        if (!execute(peer, &request, peer->buffer + used + sizeof request)) {
            return false;
        }
        used += sizeof request + body;
    }
    memmove(peer->buffer, peer->buffer + used, peer->filled - used);
    peer->filled -= used;
    return true;
}

static void accept_one(int listener) {
    int s = accept(listener, NULL, NULL);
    if (s < 0 || peer_count == MAX_PEERS) {
        fail("accept: %s", strerror(errno));
    }
    no_delay(s);
    peers[peer_count] = (struct peer){.socket = s, .buffer = malloc(MAX_BATCH + sizeof(struct request))};
    polls[2 + peer_count] = (struct pollfd){.fd = s, .events = POLLIN};
    peer_count++;
}

static int run_server(void) {
    int listener = listen_anywhere(MAX_PEERS);
    polls[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (;;) {
        if (poll(polls, (nfds_t)(2 + peer_count), -1) < 0) {
            fail("poll: %s", strerror(errno));
        }
        if (polls[0].revents != 0) {
            return 0;
        }
        for (int i = peer_count - 1; i >= 0; i--) {
            if (polls[2 + i].revents != 0 && !serve(&peers[i])) {
                close_peer(i);
            }
        }
        if (flushes) {
            flush_topics();
        }
        for (int i = peer_count - 1; i >= 0; i--) {
            if (!acknowledge(&peers[i])) {
                close_peer(i);
            }
        }
        if (polls[1].revents != 0) {
            accept_one(listener);
        }
    }
}

/* ---- the load program ---- */

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

/* Reads an order, and the numbers at that time. Before, answers questions about the progress. */
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

static void receive(int s, void *bytes, size_t length) {
    for (char *to = bytes; length > 0;) {
        ssize_t count = recv(s, to, length, MSG_WAITALL);
        if (count <= 0) {
            fail("the server has closed the connection");
        }
        to += count;
        length -= (size_t)count;
    }
}

static void request(int s, struct request asked, const void *body, size_t length) {
    if (send(s, &asked, sizeof asked, MSG_NOSIGNAL | (length > 0 ? MSG_MORE : 0)) != sizeof asked
            || !send_all(s, body, length)) {
        fail("send: %s", strerror(errno));
    }
}

static int port;
static uint32_t topic;
static int dialled[MAX_PEERS];
static size_t dialled_count;

static int dial(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (s < 0 || connect(s, (struct sockaddr *)&name, sizeof name) != 0) {
        fail("connect: %s", strerror(errno));
    }
    no_delay(s);
    dialled[dialled_count++] = s;
    return s;
}

static void hang_up(void) {
    while (dialled_count > 0) {
        close(dialled[--dialled_count]);
    }
}

/* Opens the topic. */
static struct answer open_topic(int s) {
    struct answer answer;
    request(s, (struct request){.kind = OPEN, .length = (uint32_t)strlen(topic_name)}, topic_name, strlen(topic_name));
    receive(s, &answer, sizeof answer);
    topic = (uint32_t)answer.length;
    return answer;
}

/*
 * Number of records of a batch that fits a length with its header. A record is its length and its value, which begins
 * with its number.
 */
static uint32_t records_in(uint32_t length) {
    uint32_t count = length < sizeof(struct batch) ? 0 : (length - (uint32_t)sizeof(struct batch)) / (size + 4);
    return count == 0 ? 1 : count;
}

/* Writes an append request with a batch. Returns its length. */
static size_t write_append(char *to, uint32_t count, uint64_t number) {
    struct request asked = {.kind = APPEND, .length = count * (size + 4), .topic = topic, .count = count};
    memcpy(to, &asked, sizeof asked);
    to += sizeof asked;
    for (uint32_t i = 0; i < count; i++, to += size + 4) {
        uint64_t each = number + i;
        memcpy(to, &size, 4);
        memcpy(to + 4, &each, 8);
    }
    return sizeof asked + asked.length;
}

/* Receives acknowledgements. Returns their number. */
static uint64_t receive_offsets(int s, bool waits) {
    static char bytes[8 * WINDOW_BATCHES];
    static size_t rest;
    ssize_t got = recv(s, bytes + rest, sizeof bytes - rest, waits ? 0 : MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
        fail("the server has closed the connection");
    }
    rest += got > 0 ? (size_t)got : 0;
    uint64_t count = rest / 8;
    memmove(bytes, bytes + 8 * count, rest % 8);
    rest %= 8;
    return count;
}

/* Waits until the next record is due. */
static void await_due(uint64_t begin_ns) {
    while (phase < 2 && (double)sent * 1e9 > (double)(now_ns() - begin_ns) * rate) {
        usleep(200);
    }
}

/* Sends records until the end, or until there are `most`, with many batches in flight. */
static void produce(int s, uint32_t length, uint64_t most) {
    uint32_t count = length == 0 ? 1 : records_in(length);
    size_t batch_size = sizeof(struct request) + count * (size_t)(size + 4);
    uint64_t window = WINDOW_BYTES / batch_size < WINDOW_BATCHES ? WINDOW_BYTES / batch_size : WINDOW_BATCHES;
    uint64_t together = WRITE_LENGTH / batch_size < 64 ? WRITE_LENGTH / batch_size : 64;
    window = window < 2 ? 2 : window;
    together = together == 0 || rate > 0 ? 1 : together > window / 2 ? window / 2 : together;
    char *buffer = calloc(together, batch_size);
    uint64_t batches = 0, acknowledged = 0, begin_ns = now_ns();
    while (phase < 2 && sent < most) {
        size_t filled = 0;
        if (rate > 0) {
            await_due(begin_ns);
        }
        for (uint64_t i = 0; i < together && sent < most; i++, batches++) {
            uint32_t next = most - sent < count ? (uint32_t)(most - sent) : count;
            filled += write_append(buffer + filled, next, sent);
            sent += next;
        }
        if (!send_all(s, buffer, filled)) {
            fail("send: %s", strerror(errno));
        }
        acknowledged += receive_offsets(s, false);
        while (batches - acknowledged > window - together) {
            acknowledged += receive_offsets(s, true);
        }
        progress = acknowledged * count;
    }
    while (acknowledged < batches) {
        acknowledged += receive_offsets(s, true);
    }
    free(buffer);
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

/* Reads the batches at a position, and advances it. Returns the number of records. */
static uint64_t read_batches(int s, char *buffer, uint64_t *position, uint64_t expected) {
    struct answer answer;
    request(s, (struct request){.kind = READ, .length = fetch, .topic = topic, .position = *position}, NULL, 0);
    receive(s, &answer, sizeof answer);
    receive(s, buffer, answer.length);
    *position = answer.position + answer.length;
    return check(buffer, answer.length, expected);
}

static void consume(int s) {
    char *buffer = malloc(MAX_BATCH + fetch);
    while (phase < 2) {
        uint64_t position = 0;
        uint64_t next = read_batches(s, buffer, &position, 0);
        while (next < records && phase < 2) {
            bool counts = phase == 1;
            uint64_t start_ns = now_ns();
            uint64_t count = read_batches(s, buffer, &position, next);
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

/* Several clients, each of which sends a request when the one before it is answered. */
static void one_by_one(bool appends) {
    char *buffer = calloc(1, sizeof(struct request) + size + 4);
    struct pollfd sockets[MAX_PEERS];
    uint64_t starts[MAX_PEERS], end = 0;
    for (uint32_t i = 0; i < clients; i++) {
        sockets[i] = (struct pollfd){.fd = dial(), .events = POLLIN, .revents = POLLOUT};
        end = open_topic(sockets[i].fd).position;
    }
    printf("ready\n");
    fflush(stdout);
    uint32_t waiting = 0;
    while (phase < 2 || waiting > 0) {
        for (uint32_t i = 0; i < clients; i++) {
            if ((sockets[i].revents & POLLIN) != 0) {
                struct answer answer;
                receive(sockets[i].fd, &answer, appends ? 8 : sizeof answer);
                faults += !appends && answer.length != 0;
                time_it(starts[i]);
                progress = progress + 1;
                waiting--;
            }
            if (sockets[i].revents != 0 && phase < 2) {
                size_t length = write_append(buffer, 1, sent);
                struct request look = {.kind = READ, .length = fetch, .topic = topic, .position = end};
                starts[i] = now_ns();
                sent += appends;
                waiting++;
                if (!send_all(sockets[i].fd, appends ? buffer : (char *)&look, appends ? length : sizeof look)) {
                    fail("send: %s", strerror(errno));
                }
            }
            sockets[i].revents = clients == 1 ? POLLIN : 0;
        }
        /* One client waits in recv. */
        if (clients > 1 && waiting > 0 && poll(sockets, clients, -1) < 0) {
            fail("poll: %s", strerror(errno));
        }
    }
    free(buffer);
}

static void end_to_end(int producer, int consumer) {
    char *buffer = malloc(MAX_BATCH + fetch), *append_request = calloc(1, sizeof(struct request) + size + 4);
    uint64_t position = open_topic(consumer).position, offset;
    while (phase < 2) {
        size_t length = write_append(append_request, 1, sent);
        uint64_t start_ns = now_ns();
        if (!send_all(producer, append_request, length)) {
            fail("send: %s", strerror(errno));
        }
        while (read_batches(consumer, buffer, &position, sent) == 0) {
            continue;
        }
        time_it(start_ns);
        sent++;
        progress = sent;
        receive(producer, &offset, 8);
        faults += offset != base + sent - 1;
    }
    free(append_request);
    free(buffer);
}

/* Writes records to files without a server; flushes them if they are written one by one. */
static void write_files(void) {
    char path[4096];
    bool one = workload == PRODUCE_ONE_BY_ONE;
    size_t length = one ? clients * (size_t)(size + sizeof(struct batch)) : WRITE_LENGTH;
    char *buffer = calloc(1, length);
    uint64_t segment = 0, written = SEGMENT;
    int file = -1;
    while (phase < 2) {
        if (written + length > SEGMENT) {
            if (file >= 0) {
                close(file);
            }
            if (segment >= KEPT) {
                snprintf(path, sizeof path, "%s/disk-%llu", folder, (unsigned long long)(segment - KEPT));
                unlink(path);
            }
            snprintf(path, sizeof path, "%s/disk-%llu", folder, (unsigned long long)segment++);
            file = create_segment(path, O_WRONLY);
            written = 0;
        }
        uint64_t start_ns = now_ns();
        if (write(file, buffer, length) != (ssize_t)length || (one && fdatasync(file) != 0)) {
            fail("%s: %s", path, strerror(errno));
        }
        written += length;
        if (one) {
            time_it(start_ns);
        }
        progress = progress + (one ? clients : length / size);
    }
    close(file);
    for (uint64_t i = segment < KEPT ? 0 : segment - KEPT; i < segment; i++) {
        snprintf(path, sizeof path, "%s/disk-%llu", folder, (unsigned long long)i);
        unlink(path);
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
    const char *comma = "";
    char list[256];
    snprintf(list, sizeof list, "%s", percentiles);
    for (char *each = strtok(list, ","); each != NULL && recorded > 0; each = strtok(NULL, ",")) {
        printf("%s\"%s\": %.3f", comma, each, (double)percentile(strtod(each, NULL)) / 1e3);
        comma = ", ";
    }
    printf("}}\n");
    fflush(stdout);
}

static void fill_topic(int s) {
    uint64_t count = open_topic(s).offset;
    if (count == 0) {
        produce(s, record_batch, records);
        sent = 0;
        progress = 0;
    } else if (count != records) {
        fail("topic %s has %llu records instead of none", topic_name, (unsigned long long)count);
    }
}

static void run_client(void) {
    int s = dial();
    base = 0;
    if (workload == CONSUME) {
        fill_topic(s);
    } else {
        base = open_topic(s).offset;
    }
    open_topic(s);
    if (workload == PRODUCE_ONE_BY_ONE || workload == POLL) {
        one_by_one(workload == PRODUCE_ONE_BY_ONE);
    } else {
        printf("ready\n");
        fflush(stdout);
        if (workload == PRODUCE) {
            produce(s, batch_length, UINT64_MAX);
        } else if (workload == CONSUME) {
            consume(s);
        } else {
            end_to_end(s, dial());
        }
    }
    uint64_t count = open_topic(s).offset - base;
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

/* Measures once, with the options in a line. */
static void measure(char *line, bool is_client) {
    for (char *each = strtok(line, " \n"); each != NULL; each = strtok(NULL, " \n")) {
        read_option(each);
    }
    if (size < 8 || clients < 1 || clients > MAX_PEERS - 2 || partitions != 1) {
        fail("size must be at least 8, clients from 1 to %d, and partitions 1", MAX_PEERS - 2);
    }
    phase = 0;
    progress = sent = faults = measured = measured_ns = 0;
    forget_times();
    pthread_t orders;
    int error = pthread_create(&orders, NULL, read_orders, NULL);
    if (error != 0) {
        fail("cannot create the thread that reads the orders: %s", strerror(error));
    }
    if (is_client) {
        run_client();
    } else {
        printf("ready\n");
        fflush(stdout);
        write_files();
    }
    pthread_join(orders, NULL);
    report();
}

int main(int count, char **arguments) {
    snprintf(bench_name, sizeof bench_name, "raw_log");
    if (count != 4) {
        fail("see the comment in raw_log.c");
    }
    folder = arguments[2];
    if (strcmp(arguments[1], "server") == 0) {
        flushes = strcmp(arguments[3], "1") == 0;
        return run_server();
    }
    bool is_client = strcmp(arguments[1], "client") == 0;
    percentiles = arguments[3];
    port = is_client ? (int)number("port", arguments[2], 1, 65535) : 0;
    char line[512];
    while (fgets(line, sizeof line, stdin) != NULL) {
        measure(line, is_client);
    }
    return 0;
}
