package io.rocketbufs.rbmq.client;

import io.rocketbufs.settings.SettingsReader;

/**
 * The settings of the replies that a client sends to requests.
 *
 * @param capacity capacity in bytes of the buffer for the replies to one requester; the longest reply, including its
 *     headers, is 4 bytes shorter
 * @param backlog maximum total length in bytes of the replies that wait in this program while their buffers are full.
 *     The replies to one requester may use at most as many bytes as remain free
 * @param idleTimeoutMs time in milliseconds after which an unused buffer is removed
 */
public record ReplySettings(long capacity, long backlog, long idleTimeoutMs) {
    /** Minimum capacity of a reply buffer in bytes, chosen so that an error reply always fits. */
    private static final long MIN_CAPACITY = 4096;

    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;

    /** Validates the values. */
    public ReplySettings {
        if (capacity < MIN_CAPACITY || backlog < 0 || idleTimeoutMs < 1) {
            throw new IllegalArgumentException("capacity=" + capacity + " backlog=" + backlog + " idleTimeoutMs="
                    + idleTimeoutMs + ": capacity is at least " + MIN_CAPACITY + ", and idleTimeoutMs at least 1");
        }
    }

    static ReplySettings from(SettingsReader reader) {
        return new ReplySettings(
                reader.bytes("client.reply-capacity", MIN_CAPACITY, MAX_BYTES),
                reader.bytes("client.reply-backlog", 0, MAX_BYTES),
                reader.millis("client.reply-idle-timeout", 1, DAY_MS));
    }

    /** Returns a copy with the given capacity in bytes. */
    public ReplySettings withCapacity(long newCapacity) {
        return new ReplySettings(newCapacity, backlog, idleTimeoutMs);
    }
}
