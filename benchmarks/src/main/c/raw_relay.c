/*
 * A bare relay that shows the practical limit: one thread that only forwards data between sockets. It reads from its
 * publishers and writes all data to each subscriber, in whole messages, without a protocol and without copying messages
 * in user space.
 *
 * Publishers send 'P' when they connect, subscribers 'S'. Data that arrives without subscribers is dropped. A
 * subscriber that does not read blocks all others.
 *
 * Build: gcc -O2 -Wall -Wextra -o raw_relay raw_relay.c
 * Run:   ./raw_relay SIZE      prints "port N"; ends when its standard input ends
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define MAX_PEERS 130
#define READ_LENGTH (256 * 1024)

struct peer {
    int socket;
    char role; /* 0 until received */
    char *buffer;
    size_t filled;
};

static size_t size;
static struct peer peers[MAX_PEERS];
static struct pollfd polls[MAX_PEERS + 2]; /* the input, the listener, the peers */
static int peer_count;

static void accept_one(int listener) {
    int s = accept(listener, NULL, NULL);
    if (s < 0 || peer_count == MAX_PEERS) {
        fail("accept: %s", strerror(errno));
    }
    no_delay(s);
    peers[peer_count] = (struct peer){.socket = s, .buffer = malloc(READ_LENGTH + size)};
    polls[2 + peer_count] = (struct pollfd){.fd = s, .events = POLLIN};
    peer_count++;
}

static void drop(int i) {
    close(peers[i].socket);
    free(peers[i].buffer);
    peer_count--;
    peers[i] = peers[peer_count];
    polls[2 + i] = polls[2 + peer_count];
}

static void relay(const char *bytes, size_t length) {
    for (int i = 0; i < peer_count; i++) {
        if (peers[i].role == 'S' && !send_all(peers[i].socket, bytes, length)) {
            /* The next read detects that the subscriber has disconnected. */
            peers[i].role = 'X';
        }
    }
}

/* Reads from a peer and relays whole messages. Returns false if the peer has disconnected. */
static bool read_from(struct peer *peer) {
    size_t capacity = READ_LENGTH + size - peer->filled;
    ssize_t count = recv(peer->socket, peer->buffer + peer->filled, peer->role == 0 ? 1 : capacity, 0);
    if (count <= 0) {
        return count < 0 && errno == EINTR;
    }
    if (peer->role == 0) {
        peer->role = peer->buffer[0];
        return true;
    }
    peer->filled += (size_t)count;
    size_t whole = peer->filled - peer->filled % size;
    relay(peer->buffer, whole);
    memmove(peer->buffer, peer->buffer + whole, peer->filled - whole);
    peer->filled -= whole;
    return true;
}

int main(int count, char **arguments) {
    strcpy(bench_name, "raw_relay");
    if (count != 2) {
        fail("usage: raw_relay SIZE");
    }
    size = (size_t)number("size", arguments[1], 1, 1 << 20);
    prctl(PR_SET_PDEATHSIG, 9);
    int listener = listen_anywhere(MAX_PEERS);
    polls[0] = (struct pollfd){.fd = 0, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = listener, .events = POLLIN};
    while (true) {
        if (poll(polls, (nfds_t)(2 + peer_count), -1) < 0 && errno != EINTR) {
            fail("poll: %s", strerror(errno));
        }
        if (polls[0].revents != 0) {
            char ignored[64];
            if (read(0, ignored, sizeof ignored) <= 0) {
                return 0;
            }
        }
        for (int i = peer_count - 1; i >= 0; i--) {
            if (polls[2 + i].revents != 0 && !read_from(&peers[i])) {
                drop(i);
            }
        }
        if (polls[1].revents != 0) {
            accept_one(listener);
        }
    }
}
