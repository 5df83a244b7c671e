/*
 * The files of the logs in C: topics, each of which is a sequence of segments of 64 MiB, and the batches in them. The
 * segments that a topic keeps are mapped to one range of memory, so a position determines an address.
 */
#ifndef LOG_SEGMENTS_H
#define LOG_SEGMENTS_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define SEGMENT (64ull << 20)
#define KEPT 8 /* segments of a topic */
#define MAX_TOPICS 256
#define MAX_BATCH (2u << 20)
#define NAME 32

/* The header of a batch in a file. A length of 0 ends a segment. */
struct batch {
    uint32_t length;
    uint32_t crc;
    uint64_t offset;
    uint64_t count;
};

/* ---- CRC-32C ---- */

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t crc32c(const char *bytes, size_t length) {
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
static inline uint32_t crc32c(const char *bytes, size_t length) {
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

/* ---- topics ---- */

struct topic {
    char name[NAME];
    char *memory;    /* segment i is in place i % KEPT */
    int files[KEPT]; /* in the same places */
    uint64_t segments; /* number of segments so far */
    uint64_t end;
    uint64_t offset;
    bool is_dirty;
};

static const char *folder;
static struct topic topics[MAX_TOPICS];
static uint32_t topic_count;
static bool flushes;
static uint64_t ahead; /* number of empty segments that follow the segment with the end */

static inline void file_name(char *path, size_t length, const struct topic *topic, uint64_t segment) {
    snprintf(path, length, "%s/%s-%llu", folder, topic->name, (unsigned long long)segment);
}

/* Forces the segment with the newest batch to the disk. */
static inline void flush(struct topic *topic) {
    topic->is_dirty = false;
    if (fdatasync(topic->files[(topic->end - 1) / SEGMENT % KEPT]) != 0) {
        fail("fdatasync of topic %s: %s", topic->name, strerror(errno));
    }
}

/* Forces the topics that have changed to the disk: once for all batches that have arrived meanwhile. */
static inline void flush_topics(void) {
    for (uint32_t i = 0; i < topic_count; i++) {
        if (topics[i].is_dirty) {
            flush(&topics[i]);
        }
    }
}

/* Creates a file with the length of a segment. */
static inline int create_segment(const char *path, int access) {
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
static inline void add_segment(struct topic *topic) {
    char path[4096];
    size_t place = topic->segments % KEPT;
    if (topic->segments >= KEPT) {
        close(topic->files[place]);
        file_name(path, sizeof path, topic, topic->segments - KEPT);
        unlink(path);
    }
    file_name(path, sizeof path, topic, topic->segments);
    topic->files[place] = create_segment(path, O_RDWR);
    /* Replaces the mapping of the oldest segment. */
    if (mmap(topic->memory + place * SEGMENT, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                topic->files[place], 0) == MAP_FAILED) {
        fail("%s: %s", path, strerror(errno));
    }
    topic->segments++;
}

/* Opens the segments up to the one with a position, and the empty ones after it. */
static inline void add_segments(struct topic *topic, uint64_t position) {
    while (topic->segments <= position / SEGMENT + ahead) {
        add_segment(topic);
    }
}

/* Returns the number of the topic with a name. Creates the topic if there is none. */
static inline uint32_t find_topic(const char *name, size_t length) {
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
    struct topic *topic = &topics[topic_count];
    memcpy(topic->name, name, length);
    topic->memory = mmap(NULL, KEPT * SEGMENT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (topic->memory == MAP_FAILED) {
        fail("mmap: %s", strerror(errno));
    }
    add_segments(topic, 0);
    return topic_count++;
}

static inline char *at(const struct topic *topic, uint64_t position) {
    return topic->memory + position % (KEPT * SEGMENT);
}

/*
 * Returns the position of a batch with its header that follows an end: the end itself, or the next segment if the batch
 * does not fit. The rest of the old segment is 0.
 */
static inline uint64_t place_after(uint64_t end, size_t length) {
    return length <= SEGMENT - end % SEGMENT ? end : (end / SEGMENT + 1) * SEGMENT;
}

/* Makes room for a batch with its header. Returns its position. */
static inline uint64_t make_room(struct topic *topic, size_t length) {
    uint64_t position = place_after(topic->end, length);
    if (flushes && topic->is_dirty && position / SEGMENT > (topic->end - 1) / SEGMENT) {
        flush(topic);
    }
    add_segments(topic, position);
    return position;
}

/* Appends a batch whose content is already in its place. Returns the offset of its first record. */
static inline uint64_t complete_batch(struct topic *topic, uint64_t position, uint32_t length, uint32_t count) {
    char *place = at(topic, position);
    struct batch header = {.length = length,
            .crc = crc32c(place + sizeof header, length),
            .offset = topic->offset,
            .count = count};
    memcpy(place, &header, sizeof header);
    topic->end = position + sizeof header + length;
    topic->offset += count;
    topic->is_dirty = true;
    return header.offset;
}

#endif
