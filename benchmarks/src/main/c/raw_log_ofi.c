/*
 * The log of raw_log.c over libfabric's FI_EP_MSG. A producer writes each batch, with immediate data, to its place in
 * the mapped file. One thread of the server adds the checksum and the offset, publishes the new end of the topic, and
 * acknowledges the batches with a message. A consumer reads the end and the batches from the server's memory, so the
 * code in this file does not run for a read. A topic has one producer at a time.
 *
 * The providers tcp and sockets are supported: they accept any keys for the regions, and no memory of the client needs
 * to be registered. With tcp, the server's call to read a completion queue also transfers the data of a read.
 *
 * Build: gcc -O2 -Wall -Wextra -pthread -o raw_log_ofi raw_log_ofi.c -lfabric
 * Run:   ./raw_log_ofi server PROVIDER DIR FLUSH
 *        ./raw_log_ofi client PROVIDER PORT PERCENTILES     as in raw_log.c
 */
#define _GNU_SOURCE
#include <poll.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "log_load.h"

#define ADDRESS "127.0.0.1"
#define MAX_LINKS 16
#define RECEIVES 16
#define COMPLETIONS (2 * WINDOW_BATCHES)
#define CONNECT_NS 10000000000u
#define LOOK_MS 100 /* how often a waiting thread looks for the end of a connection */
#define ENDS_KEY 1
#define TOPIC_KEY 2 /* of the first topic */

/* A message: a topic's name, the answer to it, or an acknowledgement. */
struct message {
    char name[NAME];
    uint64_t topic;
    uint64_t batches; /* number of batches that the server has appended for this connection */
    struct end end;   /* of the topic; in an acknowledgement, only the offset: that of the newest batch */
};

/* A connection. The server has one for each client. */
struct link {
    struct fid_ep *ep;
    struct fid_cq *cq;
    int cq_fd;
    struct message arrivals[RECEIVES];
    uint64_t topic;
    uint64_t batches; /* at the server: appended; at the client: acknowledged */
    struct end end;   /* as in the newest message */

    /* of the server */
    uint64_t acknowledged; /* number of batches */
    bool is_asked;         /* whether it must answer with the topic's end */

    /* of a client */
    uint64_t taken; /* number of acknowledgements that take_acknowledgements has returned */
    bool is_answered;
    bool has_read;
    /* of a producer: the end of its newest batch; of a consumer: the end that it read last */
    uint64_t seen_end;
    char *batch_memory;
    size_t batch_capacity;
    uint64_t window, put;
};

static bool is_server;
static const char *provider;
static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *eq;
static struct link *links[MAX_LINKS];
static size_t link_count;

/* The position of the end of each topic, which the consumers read. */
static volatile uint64_t ends[MAX_TOPICS];

/* Checks the result of a libfabric call that must not fail. */
static void must(const char *call, ssize_t result) {
    if (result < 0) {
        fail("%s: %s (%zd)", call, fi_strerror((int)-result), result);
    }
}

/* ---- completions ---- */

static void post_receive(struct link *link, struct message *arrival) {
    must("fi_recv", fi_recv(link->ep, arrival, sizeof *arrival, NULL, 0, arrival));
}

/* Appends a batch that has been written to the end of the link's topic. */
static void append(struct link *link, uint64_t length) {
    struct topic *topic = &topics[link->topic];
    struct batch header;
    if (link->topic >= topic_count || length < sizeof header || length > MAX_BATCH) {
        fail("a batch of %llu bytes for topic %llu", (unsigned long long)length, (unsigned long long)link->topic);
    }
    uint64_t position = make_room(topic, length);
    memcpy(&header, at(topic, position), sizeof header);
    if (header.length != length - sizeof header) {
        fail("a batch of %llu bytes was written with the length %u", (unsigned long long)length, header.length);
    }
    link->end.offset = complete_batch(topic, position, header.length, (uint32_t)header.count);
    link->batches++;
}

static void take_message(struct link *link, struct message *message) {
    if (is_server) {
        message->name[NAME - 1] = 0;
        uint32_t before = topic_count;
        link->topic = find_topic(message->name, strlen(message->name));
        if (topic_count > before) {
            struct fid_mr *mr;
            must("fi_mr_reg", fi_mr_reg(domain, topics[link->topic].memory, KEPT * SEGMENT,
                                      FI_REMOTE_READ | FI_REMOTE_WRITE, 0, TOPIC_KEY + link->topic, 0, &mr, NULL));
        }
        link->is_asked = true;
    } else {
        link->is_answered |= message->name[0] != 0;
        link->topic = message->topic;
        link->batches = message->batches;
        link->end = message->end;
    }
}

/*
 * Reads completions and returns their number, or -1 if the connection has ended. The tcp provider transfers data only
 * during this call.
 */
static int take_completions(struct link *link) {
    struct fi_cq_data_entry entries[64];
    ssize_t count = fi_cq_read(link->cq, entries, 64);
    if (count == -FI_EAGAIN) {
        return 0;
    }
    if (count == -FI_EAVAIL) {
        struct fi_cq_err_entry error = {0};
        must("fi_cq_readerr", fi_cq_readerr(link->cq, &error, 0));
        /* The end of a connection cancels its operations. */
        if (is_server) {
            return -1;
        }
        fail("an operation failed: %s (%d)", fi_strerror(error.err), error.err);
    }
    must("fi_cq_read", count);
    for (ssize_t i = 0; i < count; i++) {
        /* FI_REMOTE_WRITE is checked first: with sockets, the sender's completions also have FI_REMOTE_CQ_DATA. */
        if (entries[i].flags & FI_REMOTE_WRITE) {
            append(link, entries[i].data);
        } else if (entries[i].flags & FI_RECV) {
            take_message(link, entries[i].op_context);
            post_receive(link, entries[i].op_context);
        } else if (entries[i].flags & FI_READ) {
            link->has_read = true;
        }
    }
    return (int)count;
}

/* Sends a message. Returns false if the provider has no room. */
static bool send_message(struct link *link, const struct message *message) {
    ssize_t result = fi_inject(link->ep, message, sizeof *message, 0);
    if (result == -FI_EAGAIN) {
        return false;
    }
    must("fi_inject", result);
    return true;
}

/* ---- connecting ---- */

static struct fi_info *get_info(const char *port, uint64_t flags) {
    struct fi_info *hints = fi_allocinfo(), *found;
    hints->caps = FI_MSG | FI_RMA;
    hints->ep_attr->type = FI_EP_MSG;
    hints->fabric_attr->prov_name = strdup(provider); /* fi_freeinfo frees it */
    int result = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), ADDRESS, port, flags, hints, &found);
    if (result != 0) {
        fail("provider %s: %s (%d)", provider, fi_strerror(-result), result);
    }
    if (found->domain_attr->mr_mode != 0 || found->domain_attr->cq_data_size < 4
            || found->tx_attr->inject_size < sizeof(struct message)) {
        fail("provider %s is not supported", provider);
    }
    fi_freeinfo(hints);
    return found;
}

static void open_fabric(void) {
    struct fi_eq_attr attributes = {.wait_obj = FI_WAIT_FD};
    must("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    must("fi_eq_open", fi_eq_open(fabric, &attributes, &eq, NULL));
    must("fi_domain", fi_domain(fabric, info, &domain, NULL));
}

static struct link *open_link(struct fi_info *description) {
    struct fi_cq_attr attributes = {.size = COMPLETIONS, .format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
    if (link_count == MAX_LINKS) {
        fail("too many connections");
    }
    struct link *link = links[link_count++] = calloc(1, sizeof *link);
    must("fi_cq_open", fi_cq_open(domain, &attributes, &link->cq, NULL));
    must("fi_control(FI_GETWAIT)", fi_control(&link->cq->fid, FI_GETWAIT, &link->cq_fd));
    must("fi_endpoint", fi_endpoint(domain, description, &link->ep, link));
    must("fi_ep_bind eq", fi_ep_bind(link->ep, &eq->fid, 0));
    must("fi_ep_bind cq", fi_ep_bind(link->ep, &link->cq->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION));
    must("fi_ep_bind cq", fi_ep_bind(link->ep, &link->cq->fid, FI_RECV));
    must("fi_enable", fi_enable(link->ep));
    for (int i = 0; i < RECEIVES; i++) {
        post_receive(link, &link->arrivals[i]);
    }
    return link;
}

static void close_link(size_t i) {
    struct link *link = links[i];
    must("fi_close ep", fi_close(&link->ep->fid));
    must("fi_close cq", fi_close(&link->cq->fid));
    free(link->batch_memory);
    free(link);
    links[i] = links[--link_count];
}

/* Reads a connection event. Returns false if there is none. */
static bool take_event(uint32_t *type, struct fi_eq_cm_entry *entry) {
    ssize_t result = fi_eq_read(eq, type, entry, sizeof *entry, 0);
    if (result == -FI_EAVAIL) {
        struct fi_eq_err_entry error = {0};
        must("fi_eq_readerr", fi_eq_readerr(eq, &error, 0));
        fail("connecting failed: %s (%d)", fi_strerror(error.err), error.err);
    }
    return result > 0;
}

/* ---- the server ---- */

static struct fid_pep *listen_to_clients(void) {
    struct fid_pep *pep;
    struct sockaddr_in name = {0};
    size_t length = sizeof name;
    must("fi_passive_ep", fi_passive_ep(fabric, info, &pep, NULL));
    must("fi_pep_bind", fi_pep_bind(pep, &eq->fid, 0));
    must("fi_listen", fi_listen(pep));
    must("fi_getname", fi_getname(&pep->fid, &name, &length));
    printf("port %d\n", ntohs(name.sin_port));
    fflush(stdout);
    return pep;
}

/* Handles the connection events that have arrived. */
static void take_events(void) {
    struct fi_eq_cm_entry entry;
    uint32_t type;
    while (take_event(&type, &entry)) {
        if (type == FI_CONNREQ) {
            must("fi_accept", fi_accept(open_link(entry.info)->ep, NULL, 0));
            fi_freeinfo(entry.info);
        }
        for (size_t i = 0; type == FI_SHUTDOWN && i < link_count; i++) {
            if (&links[i]->ep->fid == entry.fid) {
                close_link(i);
                break;
            }
        }
    }
}

/* Publishes the ends of the topics, and sends what the clients wait for. Returns false if the provider has no room. */
static bool answer_all(void) {
    bool all = true;
    if (flushes) {
        flush_topics();
    }
    for (uint32_t i = 0; i < topic_count; i++) {
        ends[i] = topics[i].end;
    }
    for (size_t i = 0; i < link_count; i++) {
        struct link *link = links[i];
        struct message message = {.topic = link->topic, .batches = link->batches, .end = link->end};
        if (link->is_asked) {
            struct topic *topic = &topics[link->topic];
            memcpy(message.name, topic->name, NAME);
            message.end = (struct end){.position = topic->end, .offset = topic->offset};
        }
        if (link->is_asked || link->acknowledged < link->batches) {
            if (send_message(link, &message)) {
                link->is_asked = false;
                link->acknowledged = link->batches;
            } else {
                all = false;
            }
        }
    }
    return all;
}

static int run_server(void) {
    struct fid *waited[MAX_LINKS + 1];
    struct pollfd polls[MAX_LINKS + 2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};
    struct fid_mr *mr;
    info = get_info("0", FI_SOURCE);
    open_fabric();
    must("fi_control(FI_GETWAIT)", fi_control(&eq->fid, FI_GETWAIT, &polls[1].fd));
    must("fi_mr_reg", fi_mr_reg(domain, (void *)ends, sizeof ends, FI_REMOTE_READ, 0, ENDS_KEY, 0, &mr, NULL));
    ahead = 1; /* a producer may write beyond the end before the server has appended the previous batches */
    listen_to_clients();
    while ((polls[0].revents & (POLLIN | POLLHUP)) == 0) {
        bool is_busy = false;
        for (size_t i = link_count; i-- > 0;) {
            int count = take_completions(links[i]);
            if (count < 0) {
                close_link(i);
            }
            is_busy |= count != 0;
        }
        is_busy |= !answer_all();
        size_t count = link_count;
        for (size_t i = 0; i < count; i++) {
            waited[i] = &links[i]->cq->fid;
            polls[2 + i] = (struct pollfd){.fd = links[i]->cq_fd, .events = POLLIN};
        }
        waited[count] = &eq->fid;
        if (is_busy || fi_trywait(fabric, waited, (int)count + 1) != 0) {
            take_events();
            continue;
        }
        int found = poll(polls, (nfds_t)(2 + count), LOOK_MS);
        if (found < 0) {
            fail("poll: %s", strerror(errno));
        }
        if (found == 0 || polls[1].revents != 0) {
            take_events();
        }
    }
    return 0;
}

/* ---- the transport of the clients ---- */

static const char *server_port;

/* Handles the completions that have arrived. Returns whether there were any. */
static bool advance(struct link *link) {
    return take_completions(link) > 0;
}

/* Fails if a connection has ended. */
static void check_connections(void) {
    struct fi_eq_cm_entry entry;
    uint32_t type;
    if (take_event(&type, &entry)) {
        fail("the server has closed the connection");
    }
}

/* Waits until one of several links may have a completion, unless there was one already. */
static void advance_or_wait(struct link *const *each, size_t count) {
    struct fid *waited[MAX_LINKS];
    struct pollfd polls[MAX_LINKS];
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any |= advance(each[i]);
        waited[i] = &each[i]->cq->fid;
        polls[i] = (struct pollfd){.fd = each[i]->cq_fd, .events = POLLIN};
    }
    if (!any && fi_trywait(fabric, waited, (int)count) == 0 && poll(polls, (nfds_t)count, LOOK_MS) == 0) {
        check_connections();
    }
}

static struct link *dial(void) {
    if (fabric == NULL) {
        info = get_info(server_port, 0);
        open_fabric();
    }
    struct link *link = open_link(info);
    must("fi_connect", fi_connect(link->ep, info->dest_addr, NULL, 0));
    struct fi_eq_cm_entry entry;
    uint32_t type;
    /* Also reads the completion queue; otherwise tcp would not connect. */
    for (uint64_t end_ns = now_ns() + CONNECT_NS; now_ns() < end_ns; advance(link), usleep(100)) {
        if (take_event(&type, &entry)) {
            if (type != FI_CONNECTED || entry.fid != &link->ep->fid) {
                fail("connecting failed: event %u", type);
            }
            return link;
        }
    }
    fail("connecting failed: not connected within 10 s");
}

static void hang_up(void) {
    while (link_count > 0) {
        must("fi_shutdown", fi_shutdown(links[link_count - 1]->ep, 0));
        close_link(link_count - 1);
    }
}

static struct end open_topic(struct link *link) {
    struct message asked = {0};
    memcpy(asked.name, topic_name, NAME);
    link->is_answered = false;
    while (!send_message(link, &asked)) {
        advance(link);
    }
    while (!link->is_answered) {
        advance_or_wait(&link, 1);
    }
    link->seen_end = link->end.position;
    return link->end;
}

static void prepare_batches(struct link *link, uint32_t count, uint64_t together, uint64_t window) {
    (void)together;
    free(link->batch_memory);
    link->batch_capacity = sizeof(struct batch) + records_length(count);
    link->batch_memory = calloc(window, link->batch_capacity);
    link->window = window;
    link->put = 0;
}

/* Posts an operation. Handles completions while the provider has no room. */
static void post(struct link *link, bool is_read, uint64_t key, uint64_t address, void *bytes, size_t length) {
    struct iovec local = {.iov_base = bytes, .iov_len = length};
    struct fi_rma_iov remote = {.addr = address, .len = length, .key = key};
    struct fi_msg_rma message = {
        .msg_iov = &local, .iov_count = 1, .rma_iov = &remote, .rma_iov_count = 1, .data = is_read ? 0 : length};
    ssize_t result;
    do {
        result = is_read ? fi_readmsg(link->ep, &message, FI_COMPLETION)
                         : fi_writemsg(link->ep, &message, FI_REMOTE_CQ_DATA);
    } while (result == -FI_EAGAIN && (advance(link), true));
    must(is_read ? "fi_readmsg" : "fi_writemsg", result);
}

/* Writes the batch to the place where the server expects it. The memory is reused after the acknowledgement. */
static void put_batch(struct link *link, uint32_t count, uint64_t number) {
    char *bytes = link->batch_memory + link->put++ % link->window * link->batch_capacity;
    struct batch header = {.length = (uint32_t)records_length(count), .count = count};
    size_t length = sizeof header + header.length;
    memcpy(bytes, &header, sizeof header);
    write_records(bytes + sizeof header, count, number);
    uint64_t position = place_after(link->seen_end, length);
    post(link, false, TOPIC_KEY + link->topic, position % (KEPT * SEGMENT), bytes, length);
    link->seen_end = position + length;
}

static void push_batches(struct link *link) {
    advance(link);
}

static uint64_t take_acknowledgements(struct link *link, bool waits) {
    if (waits && link->taken == link->batches) {
        advance_or_wait(&link, 1);
    }
    uint64_t count = link->batches - link->taken;
    link->taken = link->batches;
    return count;
}

static uint64_t await_offset(struct link *link) {
    while (take_acknowledgements(link, true) == 0) {
        continue;
    }
    return link->end.offset;
}

static void read_memory(struct link *link, uint64_t key, uint64_t address, void *bytes, size_t length) {
    link->has_read = false;
    post(link, true, key, address, bytes, length);
    while (!link->has_read) {
        advance_or_wait(&link, 1);
    }
}

/* Returns the length of the whole batches in the given bytes. */
static size_t whole_batches(const char *bytes, size_t length) {
    size_t used = 0;
    struct batch header;
    while (length - used >= sizeof header) {
        memcpy(&header, bytes + used, sizeof header);
        if (header.length == 0 || header.length > length - used - sizeof header) {
            break;
        }
        used += sizeof header + header.length;
    }
    return used;
}

static size_t read_batches(struct link *link, char *buffer, uint64_t *position) {
    if (*position == link->seen_end) {
        read_memory(link, ENDS_KEY, link->topic * sizeof ends[0], &link->seen_end, sizeof link->seen_end);
    }
    size_t most = fetch;
    while (*position < link->seen_end) {
        if (link->seen_end / SEGMENT - *position / SEGMENT >= KEPT - 1) {
            fail("a consumer reads records that are deleted");
        }
        uint64_t segment_end = (*position / SEGMENT + 1) * SEGMENT;
        uint64_t end = segment_end < link->seen_end ? segment_end : link->seen_end;
        size_t length = end - *position < most ? end - *position : most;
        read_memory(link, TOPIC_KEY + link->topic, *position % (KEPT * SEGMENT), buffer, length);
        size_t whole = whole_batches(buffer, length);
        if (whole > 0) {
            *position += whole;
            return whole;
        }
        struct batch header = {0};
        memcpy(&header, buffer, length < sizeof header ? length : sizeof header);
        if (header.length > MAX_BATCH || (header.length > 0 && length < most)) {
            fail("there is no whole batch at position %llu", (unsigned long long)*position);
        }
        if (header.length == 0) {
            *position = segment_end;
        } else {
            most = sizeof header + header.length;
        }
    }
    return 0;
}

static void one_by_one(bool appends) {
    struct link *each[MAX_LINKS];
    uint64_t starts[MAX_LINKS], looks[MAX_LINKS], end = 0;
    bool is_waiting[MAX_LINKS] = {false};
    if (clients > MAX_LINKS - 1 || (appends && clients > 1)) {
        fail("clients must be 1 for appending, or up to %d for polling", MAX_LINKS - 1);
    }
    for (uint32_t i = 0; i < clients; i++) {
        each[i] = dial();
        end = open_topic(each[i]).position;
        prepare_batches(each[i], 1, 1, 1);
    }
    ready();
    uint32_t waiting = 0;
    while (phase < 2 || waiting > 0) {
        for (uint32_t i = 0; i < clients; i++) {
            if (is_waiting[i] && (appends ? take_acknowledgements(each[i], false) > 0 : each[i]->has_read)) {
                faults += appends ? each[i]->end.offset != base + sent - 1 : looks[i] != end;
                time_it(starts[i]);
                progress = progress + 1;
                is_waiting[i] = false;
                waiting--;
            }
            if (!is_waiting[i] && phase < 2) {
                starts[i] = now_ns();
                is_waiting[i] = true;
                waiting++;
                if (appends) {
                    put_batch(each[i], 1, sent++);
                } else {
                    each[i]->has_read = false;
                    post(each[i], true, ENDS_KEY, each[i]->topic * sizeof ends[0], &looks[i], sizeof looks[i]);
                }
            }
        }
        if (waiting > 0) {
            advance_or_wait(each, clients);
        }
    }
}

int main(int count, char **arguments) {
    snprintf(bench_name, sizeof bench_name, "raw_log_ofi");
    if (count != 5) {
        fail("see the comment in raw_log_ofi.c");
    }
    provider = arguments[2];
    is_server = strcmp(arguments[1], "server") == 0;
    if (is_server) {
        folder = arguments[3];
        flushes = strcmp(arguments[4], "1") == 0;
        return run_server();
    }
    server_port = arguments[3];
    percentiles = arguments[4];
    return measure_all(run_client);
}
