/*
 * The yardstick of the RDMA transport: the same write-with-immediate as in Java, by hand, over libfabric's FI_EP_MSG.
 *
 * Two processes, one connection, one completion queue per side, one thread per side.
 *
 *   rate     the client writes messages of one length into the server's circular buffer for some seconds. The server
 *            reports its consumed position at every quarter of the capacity, and when asked; the client never
 *            overruns it. The server counts what arrives between two marks that the client sends in order with the
 *            messages, so what is still under way at either end does not count.
 *   latency  both write one message in turn. Half of each round trip goes into a histogram.
 *
 * The rules of sending, the same as in Java:
 *   - at most `window` operations are posted and not known to be complete, whatever their kind;
 *   - every `signal-interval`th operation asks for a completion, and any that is posted while no completion is on its
 *     way; a completion covers all operations before it;
 *   - up to `inject` bytes are copied when posted;
 *   - where an arrival uses up a receive (mode FI_RX_CQ_DATA, as on verbs), writes stay below the receives that the
 *     peer has posted, less a reserve for control messages. A receiver without receives stalls a sender silently.
 *
 * Credit goes back in one of two ways:
 *   word     a plain injected write of 8 bytes into a word that the sender reads. It wakes nobody, so a sender that is
 *            about to wait asks, and the answer is a small message;
 *   send     always a small message.
 *
 * The provider "sockets" can hang for ever by itself with more than some 128 KiB under way in messages of 2 to 32 KiB:
 * its receiver peeks for a header that lies across two segments, and the bytes that it leaves keep the kernel's receive
 * window closed. Choose the window accordingly.
 *
 * Build: gcc -O2 -Wall -Wextra -o ofi_reference ofi_reference.c -lfabric
 * Run:   ./ofi_reference --provider tcp --mode rate --size 512          (both sides, the server in a child process)
 *        ./ofi_reference --role server --address A --port P …           (on two machines: both with the same options)
 *        ./ofi_reference --role client --address A --port P …
 * Prints one line of JSON; exit code 0, or 1 with the reason on standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

/* ---- options ---- */

enum mode { RATE, LATENCY };
enum role { BOTH, SERVER, CLIENT };
enum credit { WORD, SEND };
enum waiting { WAIT_FD, WAIT_SPIN };

static struct {
    enum mode mode;
    enum role role;
    enum credit credit;
    enum waiting waiting;
    const char *provider;
    const char *address;
    int port;
    size_t size;
    uint64_t window;
    uint64_t signal_interval;
    size_t inject;
    size_t capacity; /* 0: 1 MiB, or four messages if that is more */
    double duration;
    double warmup;
    int spins; /* empty reads of the completion queue before waiting for its descriptor */
} opt = {
    .provider = "tcp",
    .address = "127.0.0.1",
    .size = 8,
    .window = 64,
    .signal_interval = 16,
    .inject = 128,
    .duration = 1,
    .warmup = 0.5,
};

/* ---- memory of one side: a single registered region ----
 *
 *      0  consumed position, written by the peer
 *      8  cumulative count of the peer's posted receives, written by the peer
 *   4096  RECEIVES buffers of RECEIVE_LENGTH for control messages
 *         the circular buffer: what is sent on one side, what arrives on the other
 */
#define CONSUMED_OFFSET 0
#define RECEIVES_OFFSET 8
#define RECEIVE_BUFFERS_OFFSET 4096
#define RECEIVE_LENGTH 64
#define RECEIVES 256 /* posted at any time, at most */
#define RECEIVES_STEP (RECEIVES / 4)
#define RECEIVES_RESERVE 16 /* for control messages and the like, which do not wait */
#define RING_OFFSET (RECEIVE_BUFFERS_OFFSET + RECEIVES * RECEIVE_LENGTH)

/* ---- what the sides say to each other ---- */

/* Immediate data: 30 bits of the message's number. */
#define IMMEDIATE_NUMBER ((1u << 30) - 1)

enum control_type { STARVING = 1, CREDIT, ANSWER, MARK_BEGIN, MARK_END, PROCESSOR, REPORT, END, BYE };

/* Both sides are the same program on the same kind of machine, so the processor's own order of bytes will do. */
struct control {
    uint64_t type;
    uint64_t a; /* CREDIT, ANSWER: consumed position; PROCESSOR: nanoseconds; REPORT: messages */
    uint64_t b; /* CREDIT, ANSWER: posted receives; REPORT: nanoseconds */
};

/* Travels as private data of the connection's establishment; verbs has room for some 48 bytes. */
struct hello {
    uint64_t base; /* of the region: an address, or 0 where the provider counts offsets */
    uint64_t key;
    uint64_t receives;
};

/* ---- state of one side ---- */

#define MAX_WINDOW 4096
#define CQ_BATCH 64

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_eq *eq;
static struct fid_domain *domain;
static struct fid_cq *cq;
static struct fid_ep *ep;
static struct fid_mr *mr;
static int cq_fd;
static bool consumes_receive;
static bool length_in_data; /* 8 bytes of immediate data: the upper half carries the length */

static char *memory;
static void *desc;
static size_t slots; /* messages in the circular buffer */
static struct hello ours, peers;

/* Sending: operations of any kind. */
static uint64_t posted;
static uint64_t completed;
static uint64_t signals[MAX_WINDOW]; /* numbers of the operations that asked for a completion, oldest first */
static uint64_t signals_asked, signals_seen;
static uint64_t receives_used; /* of the peer, by sends and by writes with immediate data */

/* Sending: messages. */
static uint64_t sent;
static size_t sent_slot;
static uint64_t consumed_by_message; /* the peer's consumed position as told by control messages */
static uint64_t receives_by_message;
static bool asked; /* STARVING went out and was not answered */
static uint64_t starvations;

/* Receiving. */
static uint64_t received;
static uint64_t consumed_told; /* in messages */
static uint64_t receives_posted;
static uint64_t receives_told;
static bool answer_due;
static uint64_t mark_messages;
static uint64_t mark_ns;
static uint64_t mark_processor_ns;      /* of this process */
static uint64_t receiver_processor_ns; /* between the marks, as the receiver reports it */
static struct control inbox; /* the last control message that ends a phase: MARK_END, REPORT, END or BYE */

/* ---- small things ---- */

static void fail(const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "ofi_reference (%s): ", opt.role == SERVER ? "server" : "client");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

/* Every libfabric call that may not fail goes through here; EAGAIN must have been dealt with. */
static void check(const char *call, ssize_t result) {
    if (result < 0) {
        fail("%s: %s (%zd)", call, fi_strerror((int)-result), result);
    }
}

static uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

/* What this process has cost the processor so far. */
static uint64_t processor_ns(void) {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* What stands at an offset of both circular buffers, so that the last round can be checked at the end. */
static unsigned char pattern(size_t offset) {
    return (unsigned char)((offset * 2654435761u) >> 13);
}

/* ---- histogram: 256 buckets for each power of two, so values are right within 0.4 % ---- */

#define BUCKETS (56 * 256 + 256)
static uint64_t buckets[BUCKETS];
static uint64_t recorded;

static void record(uint64_t value) {
    int shift = value < 512 ? 0 : 55 - __builtin_clzll(value);
    buckets[(size_t)shift * 256 + (value >> shift)]++;
    recorded++;
}

static uint64_t percentile(double percent) {
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

/* ---- receives and completions ---- */

static void post_receive(void *buffer) {
    check("fi_recv", fi_recv(ep, buffer, RECEIVE_LENGTH, desc, 0, buffer));
    receives_posted++;
}

static void on_arrival(uint64_t data, size_t completion_length) {
    uint32_t immediate = (uint32_t)data;
    size_t length = length_in_data ? (size_t)(data >> 32) : completion_length;
    if (immediate != ((uint32_t)received & IMMEDIATE_NUMBER) || length != opt.size) {
        fail("message %llu arrived as number %u of %zu bytes", (unsigned long long)received, immediate, length);
    }
    received++;
}

static void on_control(const struct control *message) {
    switch (message->type) {
        case STARVING:
            answer_due = true;
            break;
        case CREDIT:
        case ANSWER:
            consumed_by_message = message->a;
            receives_by_message = message->b;
            /* Only the answer counts as one: it comes after all that was written before the question. */
            asked = asked && message->type != ANSWER;
            break;
        case MARK_BEGIN:
            mark_messages = received;
            mark_ns = now_ns();
            mark_processor_ns = processor_ns();
            break;
        case MARK_END:
            mark_messages = received - mark_messages;
            mark_ns = now_ns() - mark_ns;
            mark_processor_ns = processor_ns() - mark_processor_ns;
            inbox = *message;
            break;
        case PROCESSOR:
            receiver_processor_ns = message->a;
            break;
        case REPORT:
        case END:
        case BYE:
            inbox = *message;
            break;
        default:
            fail("unknown control message %llu", (unsigned long long)message->type);
    }
}

static void on_completion(void) {
    completed = signals[signals_seen++ % MAX_WINDOW];
}

static void fail_with_completion_error(void) {
    struct fi_cq_err_entry error = {0};
    ssize_t result = fi_cq_readerr(cq, &error, 0);
    check("fi_cq_readerr", result);
    fail("an operation failed: %s (%d), %s", fi_strerror(error.err), error.err,
            fi_cq_strerror(cq, error.prov_errno, error.err_data, NULL, 0));
}

/* Reads one batch of completions; returns how many. This is also what makes the tcp provider move bytes at all. */
static ssize_t progress(void) {
    struct fi_cq_data_entry entries[CQ_BATCH];
    ssize_t count = fi_cq_read(cq, entries, CQ_BATCH);
    if (count == -FI_EAGAIN) {
        return 0;
    }
    if (count == -FI_EAVAIL) {
        fail_with_completion_error();
    }
    check("fi_cq_read", count);
    for (ssize_t i = 0; i < count; i++) {
        const struct fi_cq_data_entry *entry = &entries[i];
        /* By FI_REMOTE_WRITE first: a sender's own completions may carry FI_REMOTE_CQ_DATA too (sockets). */
        if (entry->flags & FI_REMOTE_WRITE) {
            on_arrival(entry->data, entry->len);
            if (consumes_receive) {
                post_receive(entry->op_context);
            }
        } else if (entry->flags & FI_RECV) {
            on_control(entry->op_context);
            post_receive(entry->op_context);
        } else {
            on_completion();
        }
    }
    return count;
}

static void check_events(void) {
    struct fi_eq_cm_entry entry;
    uint32_t event;
    ssize_t result = fi_eq_read(eq, &event, &entry, sizeof entry, 0);
    if (result != -FI_EAGAIN) {
        fail("the connection ended in the midst of a run");
    }
}

/* Waits until there may be completions. fi_trywait tells when the descriptor cannot be trusted to signal them. */
static void wait_for_completions(void) {
    static int empty_reads;
    static unsigned spun;
    if (opt.waiting == WAIT_SPIN || empty_reads++ < opt.spins) {
        if (++spun % (1 << 20) == 0) {
            check_events();
        }
        return;
    }
    empty_reads = 0;
    struct fid *fids[] = {&cq->fid};
    int result = fi_trywait(fabric, fids, 1);
    if (result == -FI_EAGAIN) {
        return;
    }
    check("fi_trywait", result);
    struct pollfd ready = {.fd = cq_fd, .events = POLLIN};
    result = poll(&ready, 1, 100);
    if (result == 0) {
        check_events();
    } else if (result < 0 && errno != EINTR) {
        fail("poll: %s", strerror(errno));
    }
}

static void progress_or_wait(void) {
    if (progress() == 0) {
        wait_for_completions();
    }
}

/* ---- posting ---- */

static bool window_full(void) {
    return posted - completed >= opt.window;
}

/* Whether the next operation asks for a completion. */
static bool signalling(void) {
    return (posted + 1) % opt.signal_interval == 0 || signals_asked == signals_seen;
}

static void was_posted(bool signalled) {
    posted++;
    if (signalled) {
        signals[signals_asked++ % MAX_WINDOW] = posted;
    }
}

/* Posts a write, with immediate data if flags has FI_REMOTE_CQ_DATA; false if the provider takes none now. */
static bool post_write(const void *from, size_t length, uint64_t to_offset, uint64_t data, uint64_t flags) {
    bool signalled = signalling();
    bool injected = length <= opt.inject;
    uint64_t address = peers.base + to_offset;
    ssize_t result;
    if (signalled || !(flags & FI_REMOTE_CQ_DATA)) {
        struct iovec local = {.iov_base = (void *)from, .iov_len = length};
        struct fi_rma_iov remote = {.addr = address, .len = length, .key = peers.key};
        struct fi_msg_rma message = {
            .msg_iov = &local,
            .desc = &desc,
            .iov_count = 1,
            .rma_iov = &remote,
            .rma_iov_count = 1,
            .data = data,
        };
        result = fi_writemsg(ep, &message, flags | (injected ? FI_INJECT : 0) | (signalled ? FI_COMPLETION : 0));
    } else if (injected) {
        result = fi_inject_writedata(ep, from, length, data, 0, address, peers.key);
    } else {
        result = fi_writedata(ep, from, length, desc, data, 0, address, peers.key, NULL);
    }
    if (result == -FI_EAGAIN) {
        return false;
    }
    check("write", result);
    was_posted(signalled);
    receives_used += flags & FI_REMOTE_CQ_DATA ? 1 : 0;
    return true;
}

/* Sends a control message; these are few and do not wait for credit, only for room in the window. */
static void send_control(enum control_type type, uint64_t a, uint64_t b) {
    struct control content = {.type = type, .a = a, .b = b};
    struct iovec local = {.iov_base = &content, .iov_len = sizeof content};
    struct fi_msg message = {.msg_iov = &local, .desc = &desc, .iov_count = 1};
    for (;;) {
        if (!window_full()) {
            bool signalled = signalling();
            ssize_t result = fi_sendmsg(ep, &message, FI_INJECT | (signalled ? FI_COMPLETION : 0));
            if (result == 0) {
                was_posted(signalled);
                receives_used++;
                return;
            }
            if (result != -FI_EAGAIN) {
                check("fi_sendmsg", result);
            }
        }
        progress_or_wait();
    }
}

static uint64_t immediate_data(uint32_t immediate, size_t length) {
    return length_in_data ? (uint64_t)length << 32 | immediate : immediate;
}

/* Posts the next message if window and provider have room. */
static bool post_message(void) {
    if (window_full()) {
        return false;
    }
    size_t offset = RING_OFFSET + sent_slot * opt.size;
    uint64_t data = immediate_data((uint32_t)sent & IMMEDIATE_NUMBER, opt.size);
    if (!post_write(memory + offset, opt.size, offset, data, FI_REMOTE_CQ_DATA)) {
        return false;
    }
    sent++;
    sent_slot = sent_slot + 1 == slots ? 0 : sent_slot + 1;
    return true;
}

/* ---- credit ---- */

static void write_word(uint64_t value, uint64_t offset) {
    while (window_full() || !post_write(&value, sizeof value, offset, 0, 0)) {
        progress_or_wait();
    }
}

/* Tells the sender how far we are, if that is due; called after each batch of arrivals. */
static void tell_credit(void) {
    bool answer = answer_due;
    bool receives_due = consumes_receive && receives_posted - receives_told >= RECEIVES_STEP;
    bool consumed_due = (received - consumed_told) * 4 >= slots;
    if (!answer && !consumed_due && !receives_due) {
        return;
    }
    answer_due = false;
    uint64_t consumed = received;
    uint64_t receives = receives_posted;
    if (answer || opt.credit == SEND) {
        send_control(answer ? ANSWER : CREDIT, consumed * opt.size, receives);
    } else {
        if (consumed != consumed_told) {
            write_word(consumed * opt.size, CONSUMED_OFFSET);
        }
        if (consumes_receive && receives != receives_told) {
            write_word(receives, RECEIVES_OFFSET);
        }
    }
    consumed_told = consumed;
    receives_told = receives;
}

/* What the peer has told last, be it in a word or in a message: these numbers only grow. */
static uint64_t told(uint64_t offset, uint64_t by_message) {
    uint64_t word = __atomic_load_n((uint64_t *)(memory + offset), __ATOMIC_ACQUIRE);
    return word > by_message ? word : by_message;
}

/* How many messages may still be written: space in the peer's buffer, and receives where they are used up. */
static uint64_t messages_allowed(void) {
    uint64_t consumed = told(CONSUMED_OFFSET, consumed_by_message);
    uint64_t space = slots - (sent - consumed / opt.size);
    if (!consumes_receive) {
        return space;
    }
    uint64_t receives = told(RECEIVES_OFFSET, receives_by_message);
    uint64_t used = receives_used + RECEIVES_RESERVE;
    uint64_t left = receives > used ? receives - used : 0;
    return left < space ? left : space;
}

/* ---- the two sides of the rate mode ---- */

static void await_control(enum control_type type) {
    while (inbox.type != type) {
        progress_or_wait();
    }
}

static void send_messages_until(uint64_t end_ns) {
    while (now_ns() < end_ns) {
        uint64_t allowed = messages_allowed();
        uint64_t batch = allowed < opt.window ? allowed : opt.window;
        while (batch > 0 && post_message()) {
            batch--;
        }
        if (progress() > 0 || messages_allowed() > allowed) {
            continue;
        }
        if (allowed == 0 && !asked) {
            asked = true;
            starvations++;
            send_control(STARVING, 0, 0);
        } else if (allowed == 0 || batch > 0) {
            wait_for_completions();
        }
    }
}

static void run_rate_client(void) {
    uint64_t start = now_ns();
    send_messages_until(start + (uint64_t)(opt.warmup * 1e9));
    send_control(MARK_BEGIN, 0, 0);
    starvations = 0;
    uint64_t begin = processor_ns();
    send_messages_until(start + (uint64_t)((opt.warmup + opt.duration) * 1e9));
    mark_processor_ns = processor_ns() - begin;
    send_control(MARK_END, 0, 0);
    await_control(REPORT);
}

static void run_rate_server(void) {
    while (inbox.type != MARK_END) {
        if (progress() == 0) {
            wait_for_completions();
        }
        tell_credit();
    }
    send_control(PROCESSOR, mark_processor_ns, 0);
    send_control(REPORT, mark_messages, mark_ns);
    await_control(END);
}

/* ---- the two sides of the latency mode ---- */

static void post_and_await_message(uint64_t count) {
    while (!post_message()) {
        progress_or_wait();
    }
    while (received < count) {
        progress_or_wait();
    }
}

static void run_latency_client(void) {
    uint64_t begin = now_ns();
    uint64_t warm = begin + (uint64_t)(opt.warmup * 1e9);
    uint64_t end = warm + (uint64_t)(opt.duration * 1e9);
    uint64_t start = begin;
    while (start < end) {
        post_and_await_message(sent + 1);
        uint64_t back = now_ns();
        if (start >= warm) {
            record((back - start) / 2);
        }
        start = back;
    }
}

static void run_latency_server(void) {
    while (inbox.type != END) {
        if (received > sent) {
            if (!post_message()) {
                progress_or_wait();
            }
        } else {
            progress_or_wait();
        }
    }
}

/* ---- connecting ---- */

static struct fi_info *get_info(const char *port, uint64_t flags) {
    struct fi_info *hints = fi_allocinfo();
    struct fi_info *found;
    if (hints == NULL) {
        fail("fi_allocinfo: no memory");
    }
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_RX_CQ_DATA; /* else verbs offers no immediate data */
    hints->ep_attr->type = FI_EP_MSG;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(opt.provider); /* fi_freeinfo frees it */
    int result = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), opt.address, port, flags, hints, &found);
    if (result != 0) {
        fail("provider %s at %s: %s (%d)", opt.provider, opt.address, fi_strerror(-result), result);
    }
    fi_freeinfo(hints);
    return found;
}

static void open_fabric(void) {
    struct fi_eq_attr attributes = {.wait_obj = FI_WAIT_UNSPEC};
    check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    check("fi_eq_open", fi_eq_open(fabric, &attributes, &eq, NULL));
}

/* Everything that belongs to a connection; info must be the one that the endpoint is made of. */
static void open_endpoint(void) {
    consumes_receive = info->mode & FI_RX_CQ_DATA;
    length_in_data = info->domain_attr->cq_data_size >= 8;
    if (info->domain_attr->cq_data_size < 4) {
        fail("provider %s has no immediate data of 4 bytes", opt.provider);
    }
    if (opt.inject > info->tx_attr->inject_size) {
        opt.inject = info->tx_attr->inject_size; /* tcp would take more without a word */
    }
    if (opt.size > info->ep_attr->max_msg_size) {
        fail("%zu bytes are more than the provider's longest message", opt.size);
    }
    if (opt.window > info->tx_attr->size) {
        fail("a window of %llu is more than the provider's queue of %zu", (unsigned long long)opt.window,
                info->tx_attr->size);
    }
    if (info->rx_attr->size < RECEIVES) {
        fail("the provider takes only %zu receives", info->rx_attr->size);
    }

    struct fi_cq_attr attributes = {
        .size = opt.window + 2 * RECEIVES,
        .format = FI_CQ_FORMAT_DATA,
        .wait_obj = opt.waiting == WAIT_FD ? FI_WAIT_FD : FI_WAIT_NONE,
    };
    check("fi_domain", fi_domain(fabric, info, &domain, NULL));
    check("fi_cq_open", fi_cq_open(domain, &attributes, &cq, NULL));
    if (opt.waiting == WAIT_FD) {
        check("fi_control(FI_GETWAIT)", fi_control(&cq->fid, FI_GETWAIT, &cq_fd));
    }
    check("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
    check("fi_ep_bind eq", fi_ep_bind(ep, &eq->fid, 0));
    check("fi_ep_bind cq", fi_ep_bind(ep, &cq->fid, FI_SEND | FI_SELECTIVE_COMPLETION));
    check("fi_ep_bind cq", fi_ep_bind(ep, &cq->fid, FI_RECV));
    check("fi_enable", fi_enable(ep));
}

static void open_memory(void) {
    size_t length = RING_OFFSET + slots * opt.size;
    memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
        fail("mmap: %s", strerror(errno));
    }
    if (opt.role == CLIENT) {
        for (size_t i = 0; i < slots * opt.size; i++) {
            memory[RING_OFFSET + i] = (char)pattern(i);
        }
    }
    uint64_t access = FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE;
    check("fi_mr_reg", fi_mr_reg(domain, memory, length, access, 0, 1, 0, &mr, NULL));
    desc = fi_mr_desc(mr);
    for (int i = 0; i < RECEIVES; i++) {
        post_receive(memory + RECEIVE_BUFFERS_OFFSET + i * RECEIVE_LENGTH);
    }
    receives_told = receives_posted;
    ours.base = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)memory : 0;
    ours.key = fi_mr_key(mr);
    ours.receives = receives_posted;
}

/* Nobody tells of credit before something has been written to him, so nothing newer is overwritten. */
static void know_peer(const struct hello *hello) {
    peers = *hello;
    receives_by_message = peers.receives;
}

struct event {
    struct fi_eq_cm_entry entry;
    struct hello hello;
};

/* Waits for one event of connecting. The completion queue is read too: without that tcp does not even connect. */
static void await_event(uint32_t wanted, struct event *event) {
    uint64_t end = now_ns() + 10000000000u;
    while (now_ns() < end) {
        uint32_t type;
        ssize_t result = fi_eq_sread(eq, &type, event, sizeof *event, cq == NULL ? 100 : 1, 0);
        if (result == -FI_EAVAIL) {
            struct fi_eq_err_entry error = {0};
            result = fi_eq_readerr(eq, &error, 0);
            check("fi_eq_readerr", result);
            fail("connecting failed: %s (%d)", fi_strerror(error.err), error.err);
        }
        if (result > 0 && type == wanted) {
            return;
        }
        if (result > 0 || (result != -FI_EAGAIN && result != -FI_EINTR && result != -FI_ETIMEDOUT)) {
            fail("waiting for event %u: event %u, result %zd", wanted, type, result);
        }
        if (cq != NULL) {
            progress();
        }
    }
    fail("no event %u within 10 s", wanted);
}

static void listen_and_accept(int port_pipe) {
    char port[16];
    snprintf(port, sizeof port, "%d", opt.port);
    info = get_info(port, FI_SOURCE);
    open_fabric();
    struct fid_pep *pep;
    check("fi_passive_ep", fi_passive_ep(fabric, info, &pep, NULL));
    check("fi_pep_bind", fi_pep_bind(pep, &eq->fid, 0));
    check("fi_listen", fi_listen(pep));
    struct sockaddr_in6 name = {0}; /* port and family stand at the same place as in sockaddr_in */
    size_t name_length = sizeof name;
    check("fi_getname", fi_getname(&pep->fid, &name, &name_length));
    int chosen = ntohs(name.sin6_port);
    if (port_pipe < 0) {
        fprintf(stderr, "listening at port %d\n", chosen);
    } else if (write(port_pipe, &chosen, sizeof chosen) != sizeof chosen) {
        fail("write to the pipe: %s", strerror(errno));
    }

    struct event event;
    await_event(FI_CONNREQ, &event);
    fi_freeinfo(info);
    info = event.entry.info;
    open_endpoint();
    open_memory();
    know_peer(&event.hello);
    check("fi_accept", fi_accept(ep, &ours, sizeof ours));
    await_event(FI_CONNECTED, &event);
    check("fi_close pep", fi_close(&pep->fid));
}

static void connect_to_server(void) {
    char port[16];
    snprintf(port, sizeof port, "%d", opt.port);
    info = get_info(port, 0);
    open_fabric();
    open_endpoint();
    open_memory();
    check("fi_connect", fi_connect(ep, info->dest_addr, &ours, sizeof ours));
    struct event event;
    await_event(FI_CONNECTED, &event);
    know_peer(&event.hello);
}

/* After END and BYE nothing is under way any more but the end of the connection itself. */
static void close_all(void) {
    fi_shutdown(ep, 0);
    check("fi_close ep", fi_close(&ep->fid));
    check("fi_close mr", fi_close(&mr->fid));
    check("fi_close cq", fi_close(&cq->fid));
    check("fi_close domain", fi_close(&domain->fid));
    check("fi_close eq", fi_close(&eq->fid));
    check("fi_close fabric", fi_close(&fabric->fid));
    fi_freeinfo(info);
}

/* ---- the two processes ---- */

static void check_last_round(void) {
    size_t length = (received < slots ? received : slots) * opt.size;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)memory[RING_OFFSET + i] != pattern(i)) {
            fail("wrong byte at offset %zu", i);
        }
    }
}

static void run_server(int port_pipe) {
    listen_and_accept(port_pipe);
    if (opt.mode == RATE) {
        run_rate_server();
    } else {
        run_latency_server();
    }
    check_last_round();
    send_control(BYE, 0, 0);
    /* The client closes first, once it has BYE; the server keeps things moving until then. */
    for (uint64_t end = now_ns() + 2000000000u; now_ns() < end;) {
        struct event event;
        uint32_t type;
        struct fi_cq_data_entry ignored;
        ssize_t result = fi_eq_sread(eq, &type, &event, sizeof event, 1, 0);
        if (result > 0 || result == -FI_EAVAIL) {
            break;
        }
        (void)fi_cq_read(cq, &ignored, 1);
    }
    close_all();
}

static void run_client(void) {
    connect_to_server();
    struct control report = {0};
    if (opt.mode == RATE) {
        run_rate_client();
        report = inbox;
    } else {
        run_latency_client();
    }
    send_control(END, 0, 0);
    await_control(BYE);
    printf("{\"program\":\"c\",\"provider\":\"%s\",\"mode\":\"%s\",\"size\":%zu,\"capacity\":%zu,\"credit\":\"%s\","
           "\"wait\":\"%s\",\"window\":%llu,\"signalInterval\":%llu,\"inject\":%zu,",
            opt.provider, opt.mode == RATE ? "rate" : "latency", opt.size, slots * opt.size,
            opt.credit == WORD ? "word" : "send", opt.waiting == WAIT_FD ? "fd" : "spin",
            (unsigned long long)opt.window, (unsigned long long)opt.signal_interval, opt.inject);
    if (opt.mode == RATE) {
        double seconds = (double)report.b / 1e9;
        printf("\"seconds\":%.3f,\"messages\":%llu,\"messagesPerSecond\":%.1f,\"bytesPerSecond\":%.1f,"
               "\"starvations\":%llu,\"senderCpuNs\":%.1f,\"receiverCpuNs\":%.1f,\"cpuNs\":%.1f}\n",
                seconds, (unsigned long long)report.a, (double)report.a / seconds,
                (double)report.a / seconds * (double)opt.size, (unsigned long long)starvations,
                (double)mark_processor_ns / (double)report.a, (double)receiver_processor_ns / (double)report.a,
                (double)(mark_processor_ns + receiver_processor_ns) / (double)report.a);
    } else {
        printf("\"seconds\":%.3f,\"messages\":%llu,\"p50Ns\":%llu,\"p99Ns\":%llu}\n", opt.duration,
                (unsigned long long)recorded, (unsigned long long)percentile(50), (unsigned long long)percentile(99));
    }
    fflush(stdout);
    close_all();
}

/* Forks before the first call of libfabric: its providers' threads would not survive in the child. */
static void run_both(void) {
    int port_pipe[2];
    if (pipe(port_pipe) != 0) {
        fail("pipe: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child < 0) {
        fail("fork: %s", strerror(errno));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(port_pipe[0]);
        opt.role = SERVER;
        run_server(port_pipe[1]);
        exit(0);
    }
    close(port_pipe[1]);
    opt.role = CLIENT;
    if (read(port_pipe[0], &opt.port, sizeof opt.port) != sizeof opt.port) {
        fail("the server did not start");
    }
    run_client();
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) {
        fail("the server ended with status %d", status);
    }
}

/* ---- arguments ---- */

static int choice(const char *option, const char *value, const char *const *names) {
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(value, names[i]) == 0) {
            return i;
        }
    }
    fail("--%s %s: unknown value", option, value);
    return -1;
}

static double number(const char *option, const char *value, double least, double most) {
    char *end;
    double result = strtod(value, &end);
    if (*value == 0 || *end != 0 || !(result >= least && result <= most)) {
        fail("--%s %s: not a number from %g to %g", option, value, least, most);
    }
    return result;
}

static void parse(int count, char **arguments) {
    static const char *const modes[] = {"rate", "latency", NULL};
    static const char *const roles[] = {"both", "server", "client", NULL};
    static const char *const credits[] = {"word", "send", NULL};
    static const char *const waits[] = {"fd", "spin", NULL};
    static const struct option options[] = {
        {"mode", required_argument, NULL, 'm'},     {"role", required_argument, NULL, 'r'},
        {"credit", required_argument, NULL, 'c'},   {"wait", required_argument, NULL, 'w'},
        {"provider", required_argument, NULL, 'p'}, {"address", required_argument, NULL, 'a'},
        {"port", required_argument, NULL, 'P'},     {"size", required_argument, NULL, 's'},
        {"window", required_argument, NULL, 'W'},   {"signal-interval", required_argument, NULL, 'S'},
        {"inject", required_argument, NULL, 'i'},   {"capacity", required_argument, NULL, 'C'},
        {"duration", required_argument, NULL, 'd'}, {"warmup", required_argument, NULL, 'u'},
        {"spins", required_argument, NULL, 'n'},    {NULL, 0, NULL, 0},
    };
    int index = 0;
    for (int c; (c = getopt_long(count, arguments, "", options, &index)) != -1;) {
        const char *name = options[index].name;
        switch (c) {
            case 'm': opt.mode = (enum mode)choice(name, optarg, modes); break;
            case 'r': opt.role = (enum role)choice(name, optarg, roles); break;
            case 'c': opt.credit = (enum credit)choice(name, optarg, credits); break;
            case 'w': opt.waiting = (enum waiting)choice(name, optarg, waits); break;
            case 'p': opt.provider = optarg; break;
            case 'a': opt.address = optarg; break;
            case 'P': opt.port = (int)number(name, optarg, 0, 65535); break;
            case 's': opt.size = (size_t)number(name, optarg, 1, 1 << 30); break;
            case 'W': opt.window = (uint64_t)number(name, optarg, 1, MAX_WINDOW); break;
            case 'S': opt.signal_interval = (uint64_t)number(name, optarg, 1, MAX_WINDOW); break;
            case 'i': opt.inject = (size_t)number(name, optarg, 0, 1 << 20); break;
            case 'C': opt.capacity = (size_t)number(name, optarg, 0, 1e12); break;
            case 'd': opt.duration = number(name, optarg, 0.01, 3600); break;
            case 'u': opt.warmup = number(name, optarg, 0, 3600); break;
            case 'n': opt.spins = (int)number(name, optarg, 0, 1e9); break;
            default: fail("see the comment at the top of ofi_reference.c for the options");
        }
    }
    if (optind != count) {
        fail("unexpected argument: %s", arguments[optind]);
    }
    if (opt.capacity == 0) {
        opt.capacity = opt.size * 4 > 1 << 20 ? opt.size * 4 : 1 << 20;
    }
    slots = opt.capacity / opt.size;
    if (slots == 0) {
        fail("capacity %zu holds no message of %zu bytes", opt.capacity, opt.size);
    }
}

int main(int count, char **arguments) {
    parse(count, arguments);
    /* As the Java side does before it loads the library. */
    setenv("IPATH_NO_BACKTRACE", "1", 1);
    setenv("FI_MR_CACHE_MAX_COUNT", "0", 1);
    alarm((unsigned)(opt.duration + opt.warmup) + 30); /* whatever happens, neither process stays */
    switch (opt.role) {
        case SERVER: run_server(-1); break;
        case CLIENT: run_client(); break;
        default: run_both();
    }
    return 0;
}
