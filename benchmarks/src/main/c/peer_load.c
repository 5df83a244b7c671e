/*
 * One publisher or one subscriber of a broker other than RBMQ, for comparisons. It uses the broker's own client library
 * if that is the fastest client in C.
 *
 *   raw        the relay in raw_relay.c: consecutive messages without a protocol
 *   redis      hiredis: PUBLISH, pipelined; SUBSCRIBE
 *   nats       the text protocol over a plain socket: PUB; SUB
 *   rabbitmq   librabbitmq: basic.publish to a fanout exchange; a consumer without acknowledgements
 *
 * A message begins with the publisher's number (16 bits) and the message's sequence number (48 bits). Messages of 16
 * bytes or more also have a field for a time stamp, which is set in one of 1,024 messages, or in all messages with
 * --stamp-all. The rest of a message is a pattern.
 *
 * Publishers write --window messages with one call. Brokers that do not slow down publishers would queue data without
 * limit, or disconnect their subscribers. Therefore publishers read the subscribers' counters from a file in shared
 * memory, and wait while more than --outstanding bytes are in transit to the slowest subscriber. This favours those
 * brokers, because they neither drop messages nor run out of memory.
 *
 * The program prints "ready" when it is connected. The lines "begin" and "end" on standard input mark the measured
 * period. At "end", the program prints its result as one line of JSON. It ends when its standard input ends. On
 * failure, it prints the reason to standard error and exits with code 1.
 *
 * Build: gcc -O2 -Wall -Wextra -pthread -o peer_load peer_load.c -lhiredis -lrabbitmq
 *        with -DWITHOUT_HIREDIS or -DWITHOUT_RABBITMQ if a library is missing
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef WITHOUT_HIREDIS
#include <hiredis/hiredis.h>
#endif
#ifndef WITHOUT_RABBITMQ
#include <amqp.h>
#include <amqp_tcp_socket.h>
#endif

#include "bench.h"

/* ---- options ---- */

enum peer { RAW, REDIS, NATS, RABBITMQ };
enum role { PUB, SUB };

static struct {
    enum peer peer;
    enum role role;
    const char *address;
    int port;
    size_t size;
    int number;      /* number of this publisher or subscriber */
    int window;      /* messages per write */
    double rate;     /* messages per second; 0 means as many as possible */
    bool stamp_all;
    const char *progress; /* file that publishers and subscribers map into memory */
    int subs;
    uint64_t outstanding; /* bytes */
    const char *percentiles; /* percentiles of the latency to print, separated by commas */
} opt = {.address = "127.0.0.1", .size = 512, .window = 16, .outstanding = 4 << 20, .percentiles = "50,99"};

static const char TOPIC[] = "bench";

/* ---- progress, shared by publishers and subscribers ---- */

#define MAX_SUBS 128
#define MAX_PUBS 128

struct slot {
    _Alignas(64) _Atomic uint64_t count;
};

static struct progress {
    struct slot published[MAX_PUBS];
    struct slot delivered[MAX_SUBS];
} * progress;

static void open_progress(void) {
    if (opt.progress == NULL) {
        progress = calloc(1, sizeof *progress);
        return;
    }
    int file = open(opt.progress, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *progress) != 0) {
        fail("--progress %s: %s", opt.progress, strerror(errno));
    }
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (progress == MAP_FAILED) {
        fail("--progress %s: mmap: %s", opt.progress, strerror(errno));
    }
    close(file);
}

/* Returns the counter of messages that this process has published or received. The measuring thread reads it. */
static _Atomic uint64_t *own_count(void) {
    return opt.role == PUB ? &progress->published[opt.number].count : &progress->delivered[opt.number].count;
}

/* Waits while the bytes in transit to the slowest subscriber reach the limit. */
static void wait_for_subscribers(void) {
    if (opt.peer == RAW || opt.subs == 0) {
        return;
    }
    while (true) {
        uint64_t published = 0, slowest = UINT64_MAX;
        for (int i = 0; i < MAX_PUBS; i++) {
            published += atomic_load_explicit(&progress->published[i].count, memory_order_relaxed);
        }
        for (int i = 0; i < opt.subs; i++) {
            uint64_t count = atomic_load_explicit(&progress->delivered[i].count, memory_order_relaxed);
            slowest = count < slowest ? count : slowest;
        }
        if (published <= slowest || (published - slowest) * opt.size < opt.outstanding) {
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* ---- the measured period, set by the thread that reads standard input ---- */

static _Atomic bool measuring;
static _Atomic bool over;
static uint64_t begin_ns, end_ns, begin_count, end_count, begin_cpu, end_cpu;

/* ---- messages ---- */

#define NUMBER_SHIFT 48
#define SEQUENCE_MASK ((1ull << NUMBER_SHIFT) - 1)
#define SPECIMEN_MASK 1023

static uint64_t sequence; /* sequence number of the publisher's next message */
static uint64_t expected[MAX_PUBS];
static bool known[MAX_PUBS];
static uint64_t lost, duplicated, damaged;

static void fill_pattern(char *message) {
    for (size_t i = 8; i < opt.size; i++) {
        message[i] = (char)(i * 131 + 7);
    }
}

static void stamp(char *message, uint64_t time_ns) {
    uint64_t header = (uint64_t)opt.number << NUMBER_SHIFT | sequence;
    memcpy(message, &header, sizeof header);
    if (opt.size >= 16) {
        uint64_t taken = opt.stamp_all || (sequence & SPECIMEN_MASK) == 0 ? time_ns : 0;
        memcpy(message + 8, &taken, sizeof taken);
    }
    sequence++;
}

static void arrived(const char *message, size_t length) {
    uint64_t header, taken;
    if (length != opt.size) {
        damaged++;
        return;
    }
    memcpy(&header, message, sizeof header);
    size_t number = header >> NUMBER_SHIFT;
    uint64_t place = header & SEQUENCE_MASK;
    if (number >= MAX_PUBS) {
        damaged++;
        return;
    }
    if (known[number] && place != expected[number]) {
        if (place > expected[number]) {
            lost += place - expected[number];
        } else {
            duplicated++;
        }
    }
    known[number] = true;
    expected[number] = place + 1;
    if (opt.size >= 16) {
        memcpy(&taken, message + 8, sizeof taken);
        if (taken != 0 && atomic_load_explicit(&measuring, memory_order_relaxed)) {
            record(now_ns() - taken);
        }
        if ((place & SPECIMEN_MASK) == 0 && opt.size > 16 && message[opt.size - 1] != (char)((opt.size - 1) * 131 + 7)) {
            damaged++;
        }
    }
    atomic_store_explicit(own_count(), atomic_load_explicit(own_count(), memory_order_relaxed) + 1,
            memory_order_relaxed);
}

static void published(uint64_t count) {
    atomic_store_explicit(own_count(), atomic_load_explicit(own_count(), memory_order_relaxed) + count,
            memory_order_relaxed);
}

/* Waits until messages are due, and returns their number: a full window without a fixed rate, otherwise 1. */
static int due(uint64_t *time_ns) {
    static uint64_t start, count;
    if (opt.rate == 0) {
        wait_for_subscribers();
        *time_ns = now_ns();
        return opt.window;
    }
    if (start == 0) {
        start = now_ns();
    }
    uint64_t at = start + (uint64_t)((double)count * 1e9 / opt.rate);
    uint64_t now = now_ns();
    if (now < at) {
        struct timespec t = {.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    /* One message at a time: each is stamped with the time when it was due, even if it is sent late. */
    count++;
    *time_ns = at;
    return 1;
}

/* ---- sockets ---- */

static int connect_socket(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    int one = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)opt.port)};
    if (s < 0 || inet_pton(AF_INET, opt.address, &to.sin_addr) != 1
            || connect(s, (struct sockaddr *)&to, sizeof to) != 0) {
        fail("connect to %s:%d: %s", opt.address, opt.port, strerror(errno));
    }
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return s;
}

static void write_all(int s, const char *bytes, size_t length) {
    if (!send_all(s, bytes, length)) {
        fail("write: %s", strerror(errno));
    }
}

/* Reads at least one byte. Fails at the end of the stream. */
static size_t read_some(int s, char *into, size_t length) {
    ssize_t count;
    do {
        count = recv(s, into, length, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        fail("read: %s", count == 0 ? "the broker closed the connection" : strerror(errno));
    }
    return (size_t)count;
}

static void *allocate(size_t length) {
    void *memory = malloc(length);
    if (memory == NULL) {
        fail("cannot allocate %zu bytes", length);
    }
    return memory;
}

static void ready(void) {
    puts("ready");
    fflush(stdout);
}

#define READ_LENGTH (256 * 1024)

/* ---- raw: a letter for the role, followed by messages ---- */

static void publish_raw(void) {
    int s = connect_socket();
    write_all(s, "P", 1);
    char *batch = allocate((size_t)opt.window * opt.size);
    for (int i = 0; i < opt.window; i++) {
        fill_pattern(batch + (size_t)i * opt.size);
    }
    ready();
    while (!over) {
        uint64_t time_ns;
        int count = due(&time_ns);
        for (int i = 0; i < count; i++) {
            stamp(batch + (size_t)i * opt.size, time_ns);
        }
        write_all(s, batch, (size_t)count * opt.size);
        published((uint64_t)count);
    }
}

static void subscribe_raw(void) {
    int s = connect_socket();
    write_all(s, "S", 1);
    char *buffer = allocate(READ_LENGTH + opt.size);
    size_t filled = 0;
    ready();
    while (true) {
        filled += read_some(s, buffer + filled, READ_LENGTH + opt.size - filled);
        size_t at = 0;
        for (; filled - at >= opt.size; at += opt.size) {
            arrived(buffer + at, opt.size);
        }
        memmove(buffer, buffer + at, filled - at);
        filled -= at;
    }
}

/* ---- nats ---- */

static int connect_nats(void) {
    int s = connect_socket();
    char line[8192];
    size_t filled = 0;
    do {
        filled += read_some(s, line + filled, sizeof line - 1 - filled);
        line[filled] = 0;
    } while (strchr(line, '\n') == NULL);
    if (strncmp(line, "INFO ", 5) != 0) {
        fail("not a NATS server: %.40s", line);
    }
    const char *hello = "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false}\r\n";
    write_all(s, hello, strlen(hello));
    return s;
}

static _Atomic int pings; /* pings that have not been answered yet */

/* Counts pings without answering them: an answer sent here would be inserted into the batch that is being written. */
static void *count_pings(void *socket) {
    int s = *(int *)socket;
    char line[4096];
    size_t filled = 0;
    while (true) {
        filled += read_some(s, line + filled, sizeof line - 1 - filled);
        line[filled] = 0;
        char *start = line;
        for (char *end; (end = strchr(start, '\n')) != NULL; start = end + 1) {
            if (start[0] == '-') {
                fail("nats: %.*s", (int)(end - start), start);
            }
            if (strncmp(start, "PING", 4) == 0) {
                atomic_fetch_add(&pings, 1);
            }
        }
        filled -= (size_t)(start - line);
        memmove(line, start, filled);
    }
    return NULL;
}

static void answer_pings(int s) {
    if (atomic_load_explicit(&pings, memory_order_relaxed) > 0) {
        for (int left = atomic_exchange(&pings, 0); left > 0; left--) {
            write_all(s, "PONG\r\n", 6);
        }
    }
}

static void publish_nats(void) {
    int s = connect_nats();
    char command[64];
    int head = snprintf(command, sizeof command, "PUB %s %zu\r\n", TOPIC, opt.size);
    size_t each = (size_t)head + opt.size + 2;
    char *batch = allocate((size_t)opt.window * each);
    for (int i = 0; i < opt.window; i++) {
        char *message = batch + (size_t)i * each;
        memcpy(message, command, (size_t)head);
        fill_pattern(message + head);
        memcpy(message + head + opt.size, "\r\n", 2);
    }
    pthread_t thread;
    pthread_create(&thread, NULL, count_pings, &s);
    ready();
    while (!over) {
        uint64_t time_ns;
        int count = due(&time_ns);
        for (int i = 0; i < count; i++) {
            stamp(batch + (size_t)i * each + head, time_ns);
        }
        write_all(s, batch, (size_t)count * each);
        published((uint64_t)count);
        answer_pings(s);
    }
}

static void subscribe_nats(void) {
    int s = connect_nats();
    char line[64];
    write_all(s, line, (size_t)snprintf(line, sizeof line, "SUB %s 1\r\nPING\r\n", TOPIC));
    size_t capacity = READ_LENGTH + opt.size + 256;
    char *buffer = allocate(capacity);
    size_t filled = 0;
    bool answered = false;
    while (true) {
        filled += read_some(s, buffer + filled, capacity - filled);
        size_t at = 0;
        while (at < filled) {
            char *start = buffer + at;
            char *end = memchr(start, '\n', filled - at);
            if (end == NULL) {
                break;
            }
            size_t head = (size_t)(end - start) + 1;
            if (start[0] == 'M') {
                /* MSG topic id length */
                char *digits = end - 1;
                while (digits > start && digits[-1] != ' ') {
                    digits--;
                }
                size_t length = strtoul(digits, NULL, 10);
                if (filled - at < head + length + 2) {
                    break;
                }
                arrived(start + head, length);
                at += head + length + 2;
                continue;
            }
            if (strncmp(start, "PING", 4) == 0) {
                write_all(s, "PONG\r\n", 6);
            } else if (strncmp(start, "PONG", 4) == 0 && !answered) {
                answered = true;
                ready();
            } else if (start[0] == '-') {
                fail("nats: %.*s", (int)head, start);
            }
            at += head;
        }
        memmove(buffer, buffer + at, filled - at);
        filled -= at;
    }
}

/* ---- redis ---- */

#ifndef WITHOUT_HIREDIS

static redisContext *connect_redis(void) {
    redisContext *c = redisConnect(opt.address, opt.port);
    if (c == NULL || c->err) {
        fail("connect to redis at %s:%d: %s", opt.address, opt.port, c == NULL ? "no memory" : c->errstr);
    }
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return c;
}

static redisReply *redis_reply(redisContext *c) {
    redisReply *reply = NULL;
    if (redisGetReply(c, (void **)&reply) != REDIS_OK) {
        fail("redis: %s", c->errstr);
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        fail("redis: %s", reply->str);
    }
    return reply;
}

#define REDIS_PENDING 64

/* Reads replies until at most REDIS_PENDING are outstanding. */
static int take_replies(redisContext *c, int missing) {
    while (missing > REDIS_PENDING) {
        void *reply = NULL;
        if (redisBufferRead(c) != REDIS_OK) {
            fail("redis: %s", c->errstr);
        }
        while (redisGetReplyFromReader(c, &reply) == REDIS_OK && reply != NULL) {
            if (((redisReply *)reply)->type == REDIS_REPLY_ERROR) {
                fail("redis: %s", ((redisReply *)reply)->str);
            }
            freeReplyObject(reply);
            missing--;
        }
    }
    return missing;
}

/* Writes the next messages while the replies to the previous messages arrive. */
static void publish_redis(void) {
    redisContext *c = connect_redis();
    char head[128], *batch;
    int length = snprintf(head, sizeof head, "*3\r\n$7\r\nPUBLISH\r\n$%zu\r\n%s\r\n$%zu\r\n", strlen(TOPIC), TOPIC, opt.size);
    size_t each = (size_t)length + opt.size + 2;
    batch = allocate((size_t)opt.window * each);
    for (int i = 0; i < opt.window; i++) {
        char *command = batch + (size_t)i * each;
        memcpy(command, head, (size_t)length);
        fill_pattern(command + length);
        memcpy(command + length + opt.size, "\r\n", 2);
    }
    ready();
    int missing = 0;
    while (!over) {
        uint64_t time_ns;
        int count = due(&time_ns), done = 0;
        for (int i = 0; i < count; i++) {
            stamp(batch + (size_t)i * each + length, time_ns);
        }
        redisAppendFormattedCommand(c, batch, (size_t)count * each);
        while (!done) {
            if (redisBufferWrite(c, &done) != REDIS_OK) {
                fail("redis: %s", c->errstr);
            }
        }
        published((uint64_t)count);
        missing = take_replies(c, missing + count);
    }
}

static void subscribe_redis(void) {
    redisContext *c = connect_redis();
    redisAppendCommand(c, "SUBSCRIBE %s", TOPIC);
    freeReplyObject(redis_reply(c));
    ready();
    while (true) {
        redisReply *reply = redis_reply(c);
        if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 3) {
            arrived(reply->element[2]->str, reply->element[2]->len);
        }
        freeReplyObject(reply);
    }
}

#else

static void publish_redis(void) {
    fail("built without hiredis; install it with: apt-get install libhiredis-dev");
}

static void subscribe_redis(void) {
    publish_redis();
}

#endif

/* ---- rabbitmq ---- */

#ifndef WITHOUT_RABBITMQ

static void check_reply(const char *call, amqp_rpc_reply_t reply) {
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) {
        fail("%s: %s", call, amqp_error_string2(reply.library_error));
    }
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
        fail("%s: refused by the broker", call);
    }
}

static amqp_connection_state_t connect_rabbitmq(void) {
    amqp_connection_state_t c = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(c);
    int one = 1;
    if (socket == NULL || amqp_socket_open(socket, opt.address, opt.port) != AMQP_STATUS_OK) {
        fail("connect to rabbitmq at %s:%d failed", opt.address, opt.port);
    }
    setsockopt(amqp_get_sockfd(c), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    check_reply("login", amqp_login(c, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"));
    amqp_channel_open(c, 1);
    check_reply("channel.open", amqp_get_rpc_reply(c));
    return c;
}

/* Corks the socket while a window is written, so that the window is sent as a unit. */
static void publish_rabbitmq(void) {
    amqp_connection_state_t c = connect_rabbitmq();
    char *message = allocate(opt.size);
    fill_pattern(message);
    amqp_bytes_t body = {.len = opt.size, .bytes = message};
    ready();
    while (!over) {
        uint64_t time_ns;
        int count = due(&time_ns), cork = 1;
        setsockopt(amqp_get_sockfd(c), IPPROTO_TCP, TCP_CORK, &cork, sizeof cork);
        for (int i = 0; i < count; i++) {
            stamp(message, time_ns);
            int status = amqp_basic_publish(c, 1, amqp_cstring_bytes("amq.fanout"), amqp_cstring_bytes(TOPIC), 0, 0, NULL, body);
            if (status != AMQP_STATUS_OK) {
                fail("basic.publish: %s", amqp_error_string2(status));
            }
        }
        cork = 0;
        setsockopt(amqp_get_sockfd(c), IPPROTO_TCP, TCP_CORK, &cork, sizeof cork);
        published((uint64_t)count);
    }
}

static void subscribe_rabbitmq(void) {
    amqp_connection_state_t c = connect_rabbitmq();
    amqp_queue_declare_ok_t *queue = amqp_queue_declare(c, 1, amqp_empty_bytes, 0, 0, 1, 1, amqp_empty_table);
    check_reply("queue.declare", amqp_get_rpc_reply(c));
    amqp_bytes_t name = amqp_bytes_malloc_dup(queue->queue);
    amqp_queue_bind(c, 1, name, amqp_cstring_bytes("amq.fanout"), amqp_cstring_bytes(TOPIC), amqp_empty_table);
    check_reply("queue.bind", amqp_get_rpc_reply(c));
    amqp_basic_consume(c, 1, name, amqp_empty_bytes, 0, 1, 1, amqp_empty_table);
    check_reply("basic.consume", amqp_get_rpc_reply(c));
    ready();
    while (true) {
        amqp_envelope_t envelope;
        amqp_maybe_release_buffers(c);
        check_reply("consume", amqp_consume_message(c, &envelope, NULL, 0));
        arrived(envelope.message.body.bytes, envelope.message.body.len);
        amqp_destroy_envelope(&envelope);
    }
}

#else

static void publish_rabbitmq(void) {
    fail("built without librabbitmq; install it with: apt-get install librabbitmq-dev");
}

static void subscribe_rabbitmq(void) {
    publish_rabbitmq();
}

#endif

/* ---- the measured period and the main program ---- */

static void report(void) {
    double seconds = (double)(end_ns - begin_ns) / 1e9;
    uint64_t count = end_count - begin_count;
    printf("{\"seconds\":%.3f,\"messages\":%llu,\"perSecond\":%.1f,\"cpuSeconds\":%.3f,\"lost\":%llu,\"duplicated\":%llu,"
           "\"damaged\":%llu,\"latencyUs\":{",
            seconds, (unsigned long long)count, (double)count / seconds, (double)(end_cpu - begin_cpu) / 1e9,
            (unsigned long long)lost, (unsigned long long)duplicated, (unsigned long long)damaged);
    print_percentiles(opt.percentiles);
    puts("}}");
    fflush(stdout);
}

static void *follow_input(void *unused) {
    (void)unused;
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        uint64_t count = atomic_load_explicit(own_count(), memory_order_relaxed);
        if (strcmp(line, "begin\n") == 0) {
            begin_ns = now_ns();
            begin_count = count;
            begin_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
            measuring = true;
        } else if (strcmp(line, "end\n") == 0) {
            end_ns = now_ns();
            end_count = count;
            end_cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
            measuring = false;
            report();
        } else {
            fail("unknown command: %s", line);
        }
    }
    over = true;
    _exit(0);
}

static void parse(int count, char **arguments) {
    static const char *const peers[] = {"raw", "redis", "nats", "rabbitmq", NULL};
    static const char *const roles[] = {"pub", "sub", NULL};
    static const struct option options[] = {
        {"peer", required_argument, NULL, 'p'},      {"role", required_argument, NULL, 'r'},
        {"address", required_argument, NULL, 'a'},   {"port", required_argument, NULL, 'P'},
        {"size", required_argument, NULL, 's'},      {"number", required_argument, NULL, 'n'},
        {"window", required_argument, NULL, 'w'},    {"rate", required_argument, NULL, 'R'},
        {"stamp-all", no_argument, NULL, 'S'},       {"progress", required_argument, NULL, 'f'},
        {"subs", required_argument, NULL, 'N'},      {"outstanding", required_argument, NULL, 'o'},
        {"percentiles", required_argument, NULL, 'q'},
        {NULL, 0, NULL, 0},
    };
    strcpy(bench_name, "peer_load");
    int index = 0;
    for (int c; (c = getopt_long(count, arguments, "", options, &index)) != -1;) {
        const char *name = options[index].name;
        switch (c) {
            case 'p': opt.peer = (enum peer)choice(name, optarg, peers); break;
            case 'r': opt.role = (enum role)choice(name, optarg, roles); break;
            case 'a': opt.address = optarg; break;
            case 'P': opt.port = (int)number(name, optarg, 1, 65535); break;
            case 's': opt.size = (size_t)number(name, optarg, 8, 1 << 20); break;
            case 'n': opt.number = (int)number(name, optarg, 0, MAX_PUBS - 1); break;
            case 'w': opt.window = (int)number(name, optarg, 1, 65536); break;
            case 'R': opt.rate = number(name, optarg, 0, 1e9); break;
            case 'S': opt.stamp_all = true; break;
            case 'f': opt.progress = optarg; break;
            case 'N': opt.subs = (int)number(name, optarg, 0, MAX_SUBS); break;
            case 'o': opt.outstanding = (uint64_t)number(name, optarg, 1, 1e12); break;
            case 'q': opt.percentiles = optarg; break;
            default: fail("see the comment at the top of peer_load.c for the options");
        }
    }
    snprintf(bench_name, sizeof bench_name, "peer_load (%s %d)", roles[opt.role], opt.number);
    if (optind != count || opt.port == 0) {
        fail(opt.port == 0 ? "--port is missing" : "unexpected argument: %s", arguments[optind]);
    }
}

int main(int count, char **arguments) {
    static void (*const publish[])(void) = {publish_raw, publish_redis, publish_nats, publish_rabbitmq};
    static void (*const subscribe[])(void) = {subscribe_raw, subscribe_redis, subscribe_nats, subscribe_rabbitmq};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_TIMERSLACK, 1ul); /* RBMQ's clients set the same value */
    parse(count, arguments);
    open_progress();
    pthread_t thread;
    if (pthread_create(&thread, NULL, follow_input, NULL) != 0) {
        fail("cannot create a thread");
    }
    (opt.role == PUB ? publish : subscribe)[opt.peer]();
    return 0;
}
