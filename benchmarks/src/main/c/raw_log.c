/*
 * A log that shows the practical limit. One thread appends the batches of its producers to mapped files, with a
 * checksum, and sends them to its consumers from these files. It has topics, but no recovery, no index and no checks.
 * raw_log_ofi.c is the same over libfabric.
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
#include <poll.h>

#include "log_load.h"

#define MAX_PEERS (MAX_CLIENTS + 2)

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

/* ---- the server ---- */

/* Appends a batch. Returns the offset of its first record. */
static uint64_t append(struct topic *topic, const char *bytes, uint32_t length, uint32_t count) {
    uint64_t position = make_room(topic, sizeof(struct batch) + length);
    memcpy(at(topic, position) + sizeof(struct batch), bytes, length);
    return complete_batch(topic, position, length, count);
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

/* ---- the transport of the clients ---- */

struct link {
    int socket;
    char *buffer; /* batches that are sent together */
    size_t filled;
    char offsets[8 * WINDOW_BATCHES]; /* received acknowledgements */
    size_t rest;                      /* length of an incomplete one */
};

static int port;
static uint32_t topic;
static struct link links[MAX_PEERS];
static size_t link_count;

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

static struct link *dial(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (s < 0 || connect(s, (struct sockaddr *)&name, sizeof name) != 0) {
        fail("connect: %s", strerror(errno));
    }
    no_delay(s);
    struct link *link = &links[link_count++];
    *link = (struct link){.socket = s};
    return link;
}

static void hang_up(void) {
    while (link_count > 0) {
        link_count--;
        close(links[link_count].socket);
        free(links[link_count].buffer);
    }
}

static struct end open_topic(struct link *link) {
    struct answer answer;
    struct request asked = {.kind = OPEN, .length = (uint32_t)strlen(topic_name)};
    request(link->socket, asked, topic_name, strlen(topic_name));
    receive(link->socket, &answer, sizeof answer);
    topic = (uint32_t)answer.length;
    return (struct end){.position = answer.position, .offset = answer.offset};
}

static void prepare_batches(struct link *link, uint32_t count, uint64_t together, uint64_t window) {
    (void)window;
    free(link->buffer);
    link->buffer = calloc(together, sizeof(struct request) + records_length(count));
}

static void put_batch(struct link *link, uint32_t count, uint64_t number) {
    struct request asked = {
        .kind = APPEND, .length = (uint32_t)records_length(count), .topic = topic, .count = count};
    memcpy(link->buffer + link->filled, &asked, sizeof asked);
    write_records(link->buffer + link->filled + sizeof asked, count, number);
    link->filled += sizeof asked + asked.length;
}

static void push_batches(struct link *link) {
    if (!send_all(link->socket, link->buffer, link->filled)) {
        fail("send: %s", strerror(errno));
    }
    link->filled = 0;
}

static uint64_t take_acknowledgements(struct link *link, bool waits) {
    char *to = link->offsets + link->rest;
    ssize_t got = recv(link->socket, to, sizeof link->offsets - link->rest, waits ? 0 : MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
        fail("the server has closed the connection");
    }
    link->rest += got > 0 ? (size_t)got : 0;
    uint64_t count = link->rest / 8;
    memmove(link->offsets, link->offsets + 8 * count, link->rest % 8);
    link->rest %= 8;
    return count;
}

static uint64_t await_offset(struct link *link) {
    uint64_t offset;
    receive(link->socket, &offset, sizeof offset);
    return offset;
}

static size_t read_batches(struct link *link, char *buffer, uint64_t *position) {
    struct answer answer;
    struct request asked = {.kind = READ, .length = fetch, .topic = topic, .position = *position};
    request(link->socket, asked, NULL, 0);
    receive(link->socket, &answer, sizeof answer);
    receive(link->socket, buffer, answer.length);
    *position = answer.position + answer.length;
    return answer.length;
}

static void one_by_one(bool appends) {
    struct link *each[MAX_PEERS];
    struct pollfd sockets[MAX_PEERS];
    uint64_t starts[MAX_PEERS], end = 0;
    for (uint32_t i = 0; i < clients; i++) {
        each[i] = dial();
        sockets[i] = (struct pollfd){.fd = each[i]->socket, .events = POLLIN, .revents = POLLOUT};
        end = open_topic(each[i]).position;
        prepare_batches(each[i], 1, 1, 1);
    }
    ready();
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
                struct request look = {.kind = READ, .length = fetch, .topic = topic, .position = end};
                starts[i] = now_ns();
                waiting++;
                if (appends) {
                    put_batch(each[i], 1, sent++);
                    push_batches(each[i]);
                } else {
                    request(sockets[i].fd, look, NULL, 0);
                }
            }
            sockets[i].revents = clients == 1 ? POLLIN : 0;
        }
        /* One client waits in recv. */
        if (clients > 1 && waiting > 0 && poll(sockets, clients, -1) < 0) {
            fail("poll: %s", strerror(errno));
        }
    }
}

/* ---- the disk ---- */

/* Writes records to files without a server; flushes them if they are written one by one. */
static void write_files(void) {
    char path[4096];
    bool one = workload == PRODUCE_ONE_BY_ONE;
    size_t length = one ? clients * (size_t)(size + sizeof(struct batch)) : WRITE_LENGTH;
    char *buffer = calloc(1, length);
    uint64_t segment = 0, written = SEGMENT;
    int file = -1;
    ready();
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
    percentiles = arguments[3];
    if (strcmp(arguments[1], "disk") == 0) {
        return measure_all(write_files);
    }
    port = (int)number("port", arguments[2], 1, 65535);
    return measure_all(run_client);
}
