package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.SubscribePermission;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The buffers of inboxes, which only the connection with that inbox may subscribe to. Clients subscribe to buffers by
 * their ids, which are easy to guess.
 *
 * <p><b>Thread-safety:</b> any thread. A buffer is added before it exists, and removed when it no longer exists, so it
 * is never open to others.
 */
final class InboxBuffers {
    /** The inboxes, by the broker's id for the buffer. */
    private final Map<Integer, String> inboxes = new ConcurrentHashMap<>();

    /** Adds a buffer that does not exist yet, if it is that of an inbox. */
    void add(TopicBuffer buffer) {
        if (buffer.isInbox()) {
            inboxes.put(buffer.bufferId(), buffer.topic());
        }
    }

    /** Removes a buffer that no longer exists. */
    void remove(int bufferId) {
        inboxes.remove(bufferId);
    }

    /** Returns the permission of the connection with the given inbox: all buffers except those of other inboxes. */
    SubscribePermission permissionOf(String inbox) {
        return bufferId -> {
            String restricted = inboxes.get(bufferId);
            return restricted == null || restricted.equals(inbox);
        };
    }
}
