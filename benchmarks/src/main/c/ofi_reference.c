/*
 * The reference for the RDMA path. It writes messages with immediate data directly over libfabric's FI_EP_MSG, between
 * two processes with one connection and one thread each.
 *
 *   rate     The client writes messages into the server's circular buffer. After each quarter of the buffer, the server
 *            reports how many messages have arrived, so that the client does not overrun it. Prints the number of
 *            messages per second.
 *   latency  The two sides take turns writing one message. Prints the median of half the round-trip time, in
 *            nanoseconds.
 *   read-rate, read-latency            The client reads the server's memory. Prints the number of reads per second, or
 *                                      the median of the time of one read.
 *   fetch-add-rate, fetch-add-latency  The client adds to a word of the server, and receives its value before. If the
 *                                      provider has no atomic operations, the client sends the addend in a message,
 *                                      and the server adds it and sends the value.
 *
 * At most WINDOW operations are outstanding, one in SIGNAL-INTERVAL operations reports its completion, and a write of
 * up to INJECT bytes is copied when it is posted. If an arrival consumes a receive (mode FI_RX_CQ_DATA, as with verbs),
 * the number of messages in flight is less than the number of receives, because a receiver without posted receives
 * silently stalls the sender.
 *
 * Build: gcc -O2 -Wall -Wextra -o ofi_reference ofi_reference.c -lfabric
 * Run:   ./ofi_reference rate tcp 127.0.0.1 512 128 16 256 1     the function parse lists the arguments
 * On failure, the program prints the reason to standard error and exits with code 1.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "bench.h"

#define SETTLE_NS 300000000u
#define CONNECT_NS 10000000000u
#define RECEIVES 256
#define RECEIVE_LENGTH 64
#define CAPACITY (1 << 20) /* minimum capacity of a circular buffer in bytes */

#define FETCHES 64 /* maximum number of outstanding reads or additions, as in Java */

enum mode { RATE, LATENCY, READ_RATE, READ_LATENCY, FETCH_ADD_RATE, FETCH_ADD_LATENCY };

static struct {
    enum mode mode;
    const char *provider;
    const char *address;
    size_t size;
    uint64_t window;
    uint64_t signal_interval;
    size_t inject;
    double seconds;
} opt;

static bool server;
static _Atomic uint64_t *arrived_at_server; /* number of messages, in memory that both processes share */

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_eq *eq;
static struct fid_domain *domain;
static struct fid_cq *cq;
static struct fid_ep *ep;
static int cq_fd;

/* One region with buffers for RECEIVES reports, the circular buffer that the peer writes to, and the source buffer. */
static char *memory;
static void *desc;
static size_t slots;
static size_t arriving_offset, leaving_offset;

/* The private data that each side sends to the other when they connect. */
static struct access {
    uint64_t base; /* an address, or 0 if the provider expects offsets */
    uint64_t key;
} peer;

static uint64_t limit; /* maximum number of messages in flight to the peer */
static uint64_t posted, completed;
static uint64_t received, reported; /* messages that have arrived at this side, and how many of them it has reported */
static uint64_t reported_by_peer;
static uint64_t answered;          /* number of reads or additions that have completed */
static uint64_t befores[RECEIVES]; /* answers to the additions that have arrived at this side, as messages */

static bool fetches(void) {
    return opt.mode >= READ_RATE;
}

static bool adds(void) {
    return opt.mode >= FETCH_ADD_RATE;
}

static bool measures_rate(void) {
    return opt.mode == RATE || opt.mode == READ_RATE || opt.mode == FETCH_ADD_RATE;
}

static char *arriving_slot(uint64_t number) {
    return memory + arriving_offset + number % slots * opt.size;
}

static char *leaving_slot(uint64_t number) {
    return memory + leaving_offset + number % slots * opt.size;
}

/* Checks the result of a libfabric call that must not fail. */
static void check(const char *call, ssize_t result) {
    if (result < 0) {
        fail("%s: %s (%zd)", call, fi_strerror((int)-result), result);
    }
}

/* ---- completions ---- */

static void post_receive(void *buffer) {
    check("fi_recv", fi_recv(ep, buffer, RECEIVE_LENGTH, desc, 0, buffer));
}

static void take_message(uint64_t immediate) {
    uint64_t number;
    memcpy(&number, arriving_slot(received), sizeof number);
    if (number != received || (uint32_t)immediate != (uint32_t)received) {
        fail("message %llu arrived as %llu, immediate %u", (unsigned long long)received, (unsigned long long)number,
                (uint32_t)immediate);
    }
    received++;
    if (server) {
        atomic_store_explicit(arrived_at_server, received, memory_order_relaxed);
    }
}

/* Checks the word that a read or an addition has returned. The peer's slots contain their indexes, counted from 1. */
static void take_answer(uint64_t word) {
    uint64_t expected = adds() ? answered : answered % slots + 1;
    if (word != expected) {
        fail("operation %llu returned %llu instead of %llu", (unsigned long long)answered, (unsigned long long)word,
                (unsigned long long)expected);
    }
    answered++;
}

/* Handles a control message: a report, an addend, or the answer to an addend. */
static void take_number(uint64_t number) {
    if (!adds()) {
        reported_by_peer = number;
    } else if (server) {
        uint64_t *word = (uint64_t *)arriving_slot(0);
        befores[received++ % RECEIVES] = *word;
        *word += number;
    } else {
        take_answer(number);
    }
}

/* Reads completions and returns their number. The tcp provider transfers data only during this call. */
static ssize_t progress(void) {
    struct fi_cq_data_entry entries[64];
    ssize_t count = fi_cq_read(cq, entries, 64);
    if (count == -FI_EAGAIN) {
        return 0;
    }
    if (count == -FI_EAVAIL) {
        struct fi_cq_err_entry error = {0};
        check("fi_cq_readerr", fi_cq_readerr(cq, &error, 0));
        fail("an operation failed: %s (%d)", fi_strerror(error.err), error.err);
    }
    check("fi_cq_read", count);
    for (ssize_t i = 0; i < count; i++) {
        /* FI_REMOTE_WRITE is checked first: with sockets, the sender's completions also contain FI_REMOTE_CQ_DATA. */
        if (entries[i].flags & FI_REMOTE_WRITE) {
            take_message(entries[i].data);
            if (info->mode & FI_RX_CQ_DATA) {
                post_receive(entries[i].op_context);
            }
        } else if (entries[i].flags & FI_RECV) {
            uint64_t number;
            memcpy(&number, entries[i].op_context, sizeof number);
            take_number(number);
            post_receive(entries[i].op_context);
        } else if (entries[i].flags & (FI_READ | FI_ATOMIC)) {
            uint64_t word;
            memcpy(&word, entries[i].op_context, sizeof word);
            memset(entries[i].op_context, 0, sizeof word);
            take_answer(word);
        } else if (entries[i].flags & FI_WRITE) {
            completed += opt.signal_interval;
        }
    }
    return count;
}

static void progress_or_wait(void) {
    struct fid *waited[] = {&cq->fid};
    struct pollfd ready = {.fd = cq_fd, .events = POLLIN};
    struct fi_eq_cm_entry entry;
    uint32_t event;
    if (progress() > 0 || fi_trywait(fabric, waited, 1) == -FI_EAGAIN) {
        return;
    }
    if (poll(&ready, 1, 100) == 0 && fi_eq_read(eq, &event, &entry, sizeof entry, 0) != -FI_EAGAIN) {
        fail("the connection ended");
    }
}

/* ---- operations ---- */

/* Writes the next message. Returns false if the window or the provider has no room. */
static bool post_message(uint64_t number) {
    if (posted - completed >= opt.window) {
        return false;
    }
    size_t offset = number % slots * opt.size;
    char *from = memory + leaving_offset + offset;
    memcpy(from, &number, sizeof number);
    struct iovec local = {.iov_base = from, .iov_len = opt.size};
    struct fi_rma_iov remote = {.addr = peer.base + arriving_offset + offset, .len = opt.size, .key = peer.key};
    struct fi_msg_rma message = {.msg_iov = &local,
            .desc = &desc,
            .iov_count = 1,
            .rma_iov = &remote,
            .rma_iov_count = 1,
            /* Immediate data of 8 bytes includes the length, as in Java. */
            .data = info->domain_attr->cq_data_size >= 8 ? (uint64_t)opt.size << 32 | (uint32_t)number : (uint32_t)number};
    uint64_t flags = FI_REMOTE_CQ_DATA | (opt.size <= opt.inject ? FI_INJECT : 0)
            | ((posted + 1) % opt.signal_interval == 0 ? FI_COMPLETION : 0);
    ssize_t result = fi_writemsg(ep, &message, flags);
    if (result == -FI_EAGAIN) {
        return false;
    }
    check("fi_writemsg", result);
    posted++;
    return true;
}

/* Sends a control message. Returns false if the provider has no room. */
static bool send_number(uint64_t number) {
    struct iovec local = {.iov_base = &number, .iov_len = sizeof number};
    struct fi_msg message = {.msg_iov = &local, .desc = &desc, .iov_count = 1};
    ssize_t result = fi_sendmsg(ep, &message, FI_INJECT | FI_COMPLETION);
    if (result == -FI_EAGAIN) {
        return false;
    }
    check("fi_sendmsg", result);
    return true;
}

/* Reports to the peer how many messages have arrived. */
static void report(void) {
    while (!send_number(received)) {
        progress_or_wait();
    }
    reported = received;
}

static ssize_t post_read(char *into) {
    struct iovec local = {.iov_base = into, .iov_len = opt.size};
    struct fi_rma_iov remote = {
            .addr = peer.base + (uint64_t)(arriving_slot(posted) - memory), .len = opt.size, .key = peer.key};
    struct fi_msg_rma message = {.msg_iov = &local,
            .desc = &desc,
            .iov_count = 1,
            .rma_iov = &remote,
            .rma_iov_count = 1,
            .context = into};
    return fi_readmsg(ep, &message, FI_COMPLETION);
}

static ssize_t post_addition(char *into) {
    uint64_t *addend = (uint64_t *)arriving_slot(0);
    *addend = 1;
    struct fi_ioc local = {.addr = addend, .count = 1}, result = {.addr = into, .count = 1};
    struct fi_rma_ioc remote = {.addr = peer.base + arriving_offset, .count = 1, .key = peer.key};
    struct fi_msg_atomic message = {.msg_iov = &local,
            .desc = &desc,
            .iov_count = 1,
            .rma_iov = &remote,
            .rma_iov_count = 1,
            .datatype = FI_UINT64,
            .op = FI_SUM,
            .context = into};
    return fi_fetch_atomicmsg(ep, &message, &result, &desc, 1, FI_COMPLETION);
}

/* Begins the next read or addition. Returns false if the window or the provider has no room. */
static bool post_fetch(void) {
    if (posted - answered >= opt.window) {
        return false;
    }
    if (adds() && !(info->caps & FI_ATOMIC)) {
        if (!send_number(1)) {
            return false;
        }
    } else {
        ssize_t result = adds() ? post_addition(leaving_slot(posted)) : post_read(leaving_slot(posted));
        if (result == -FI_EAGAIN) {
            return false;
        }
        check("posting a read or an addition", result);
    }
    posted++;
    return true;
}

/* ---- connecting ---- */

static int find_info(const char *port, uint64_t flags, uint64_t more_caps, struct fi_info **found) {
    struct fi_info *hints = fi_allocinfo();
    hints->caps = FI_MSG | FI_RMA | more_caps;
    hints->mode = FI_RX_CQ_DATA; /* without this mode, verbs offers no immediate data */
    hints->ep_attr->type = FI_EP_MSG;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(opt.provider); /* fi_freeinfo frees it */
    int result = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), opt.address, port, flags, hints, found);
    fi_freeinfo(hints);
    return result;
}

/*
 * Returns a description of the connection, with atomic operations if they are measured and the provider supports them.
 */
static struct fi_info *get_info(const char *port, uint64_t flags) {
    struct fi_info *found;
    if (adds() && find_info(port, flags, FI_ATOMIC, &found) == 0) {
        return found;
    }
    int result = find_info(port, flags, 0, &found);
    if (result != 0) {
        fail("provider %s at %s: %s (%d)", opt.provider, opt.address, fi_strerror(-result), result);
    }
    return found;
}

static void open_fabric(void) {
    struct fi_eq_attr attributes = {.wait_obj = FI_WAIT_UNSPEC};
    check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    check("fi_eq_open", fi_eq_open(fabric, &attributes, &eq, NULL));
}

/* Opens the resources of a connection as described by info. Returns the peer's access to the local memory. */
static struct access open_endpoint(void) {
    struct fi_cq_attr attributes = {
            .size = opt.window + 2 * RECEIVES, .format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
    struct fid_mr *mr;
    if (opt.inject > info->tx_attr->inject_size) {
        opt.inject = info->tx_attr->inject_size; /* tcp does not report an error if a longer write is injected */
    }
    if (opt.window > info->tx_attr->size) {
        opt.window = info->tx_attr->size;
    }
    check("fi_domain", fi_domain(fabric, info, &domain, NULL));
    check("fi_cq_open", fi_cq_open(domain, &attributes, &cq, NULL));
    check("fi_control(FI_GETWAIT)", fi_control(&cq->fid, FI_GETWAIT, &cq_fd));
    check("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
    check("fi_ep_bind eq", fi_ep_bind(ep, &eq->fid, 0));
    check("fi_ep_bind cq", fi_ep_bind(ep, &cq->fid, FI_SEND | FI_SELECTIVE_COMPLETION));
    check("fi_ep_bind cq", fi_ep_bind(ep, &cq->fid, FI_RECV));
    check("fi_enable", fi_enable(ep));

    limit = info->mode & FI_RX_CQ_DATA && slots > RECEIVES / 2 ? RECEIVES / 2 : slots;
    arriving_offset = RECEIVES * RECEIVE_LENGTH;
    leaving_offset = arriving_offset + slots * opt.size;
    size_t length = leaving_offset + slots * opt.size;
    memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
        fail("mmap: %s", strerror(errno));
    }
    for (uint64_t i = 0; server && fetches() && i < slots; i++) {
        uint64_t index = adds() ? 0 : i + 1;
        memcpy(arriving_slot(i), &index, sizeof index);
    }
    uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    check("fi_mr_reg", fi_mr_reg(domain, memory, length, access, 0, 1, 0, &mr, NULL));
    desc = fi_mr_desc(mr);
    for (int i = 0; i < RECEIVES; i++) {
        post_receive(memory + i * RECEIVE_LENGTH);
    }
    uint64_t base = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)memory : 0;
    return (struct access){.base = base, .key = fi_mr_key(mr)};
}

struct event {
    struct fi_eq_cm_entry entry;
    struct access access;
};

/* Waits for a connection event. Also reads the completion queue; otherwise tcp would not connect. */
static void await_event(uint32_t wanted, struct event *event) {
    for (uint64_t end = now_ns() + CONNECT_NS; now_ns() < end;) {
        uint32_t type;
        ssize_t result = fi_eq_sread(eq, &type, event, sizeof *event, cq == NULL ? 100 : 1, 0);
        if (result > 0 && type == wanted) {
            return;
        }
        if (result > 0 || (result != -FI_EAGAIN && result != -FI_EINTR && result != -FI_ETIMEDOUT)) {
            fail("connecting failed: waiting for event %u, result %zd", wanted, result);
        }
        if (cq != NULL) {
            progress();
        }
    }
    fail("connecting failed: no event %u within 10 s", wanted);
}

static void listen_and_accept(int port_pipe) {
    struct fid_pep *pep;
    struct sockaddr_in6 name = {0}; /* port and family have the same offsets as in sockaddr_in */
    size_t name_length = sizeof name;
    info = get_info("0", FI_SOURCE);
    open_fabric();
    check("fi_passive_ep", fi_passive_ep(fabric, info, &pep, NULL));
    check("fi_pep_bind", fi_pep_bind(pep, &eq->fid, 0));
    check("fi_listen", fi_listen(pep));
    check("fi_getname", fi_getname(&pep->fid, &name, &name_length));
    int port = ntohs(name.sin6_port);
    if (write(port_pipe, &port, sizeof port) != sizeof port) {
        fail("write to the pipe: %s", strerror(errno));
    }
    struct event event;
    await_event(FI_CONNREQ, &event);
    info = event.entry.info;
    peer = event.access;
    struct access ours = open_endpoint();
    check("fi_accept", fi_accept(ep, &ours, sizeof ours));
    await_event(FI_CONNECTED, &event);
}

static void connect_to(int port) {
    char text[16];
    snprintf(text, sizeof text, "%d", port);
    info = get_info(text, 0);
    open_fabric();
    struct access ours = open_endpoint();
    check("fi_connect", fi_connect(ep, info->dest_addr, &ours, sizeof ours));
    struct event event;
    await_event(FI_CONNECTED, &event);
    peer = event.access;
}

/* ---- the two processes ---- */

/* Serves until the client kills this process. */
static void serve(void) {
    while (true) {
        progress_or_wait();
        while (opt.mode == LATENCY && posted < received && post_message(posted)) {
        }
        while (adds() && reported < received && send_number(befores[reported % RECEIVES])) {
            reported++;
        }
        if (opt.mode == RATE && (received - reported) * 4 >= limit) {
            report();
        }
    }
}

static void send_until(uint64_t end_ns) {
    while (now_ns() < end_ns) {
        while (fetches() ? post_fetch() : posted - reported_by_peer < limit && post_message(posted)) {
        }
        progress_or_wait();
    }
}

static uint64_t done(void) {
    return fetches() ? answered : *arrived_at_server;
}

static double measure_rate(void) {
    send_until(now_ns() + SETTLE_NS);
    uint64_t begin_ns = now_ns(), begin = done();
    /* Continue until at least one operation is done, even on a busy machine. */
    do {
        send_until(now_ns() + (uint64_t)(opt.seconds * 1e9));
    } while (done() == begin);
    return (double)(done() - begin) * 1e9 / (double)(now_ns() - begin_ns);
}

static double measure_latency(void) {
    uint64_t warm_ns = now_ns() + SETTLE_NS, end_ns = warm_ns + (uint64_t)(opt.seconds * 1e9);
    for (uint64_t start_ns = now_ns(); start_ns < end_ns || recorded == 0;) {
        while (!(fetches() ? post_fetch() : post_message(posted))) {
            progress_or_wait();
        }
        while ((fetches() ? answered : received) < posted) {
            progress_or_wait();
        }
        uint64_t back_ns = now_ns();
        if (start_ns >= warm_ns) {
            record(fetches() ? back_ns - start_ns : (back_ns - start_ns) / 2);
        }
        start_ns = back_ns;
    }
    return (double)percentile(50);
}

static void parse(int count, char **arguments) {
    static const char *const modes[] = {
            "rate", "latency", "read-rate", "read-latency", "fetch-add-rate", "fetch-add-latency", NULL};
    if (count != 9) {
        fail("usage: ofi_reference MODE PROVIDER ADDRESS SIZE WINDOW SIGNAL-INTERVAL INJECT SECONDS");
    }
    opt.mode = (enum mode)choice("mode", arguments[1], modes);
    opt.provider = arguments[2];
    opt.address = arguments[3];
    opt.size = (size_t)number("size", arguments[4], 8, 1 << 28);
    opt.window = (uint64_t)number("window", arguments[5], 1, 4096);
    opt.signal_interval = (uint64_t)number("signal-interval", arguments[6], 1, (double)opt.window);
    opt.inject = (size_t)number("inject", arguments[7], 0, 1 << 20);
    opt.seconds = number("seconds", arguments[8], 0.01, 3600);
    if (fetches() && opt.window > FETCHES) {
        opt.window = FETCHES;
    }
    slots = (opt.size > CAPACITY / 4 ? 4 * opt.size : CAPACITY) / opt.size;
}

int main(int count, char **arguments) {
    strcpy(bench_name, "ofi_reference");
    parse(count, arguments);
    /* The RDMA transport sets the same variables before it loads the library. */
    setenv("IPATH_NO_BACKTRACE", "1", 1);
    setenv("FI_MR_CACHE_MAX_COUNT", "0", 1);
    arrived_at_server = mmap(NULL, sizeof *arrived_at_server, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int port_pipe[2], port;
    if (arrived_at_server == MAP_FAILED || pipe(port_pipe) != 0) {
        fail("mmap or pipe: %s", strerror(errno));
    }
    /* Forks before the first call to libfabric, because threads that a provider starts would not exist in the child. */
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        fail("fork: %s", strerror(errno));
    }
    if (child == 0) {
        strcpy(bench_name, "ofi_reference (server)");
        server = true;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            return 1;
        }
        close(port_pipe[0]);
        listen_and_accept(port_pipe[1]);
        serve();
    }
    alarm((unsigned)opt.seconds + 30); /* ends both processes if they hang */
    close(port_pipe[1]);
    if (read(port_pipe[0], &port, sizeof port) != sizeof port) {
        fail("the server did not start");
    }
    connect_to(port);
    printf("%.1f\n", measures_rate() ? measure_rate() : measure_latency());
    kill(child, SIGKILL);
    return 0;
}
