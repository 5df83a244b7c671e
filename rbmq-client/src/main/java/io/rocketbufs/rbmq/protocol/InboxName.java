package io.rocketbufs.rbmq.protocol;

import java.util.UUID;

/**
 * The name of an inbox, which is the topic to which the replies to a client's requests are sent: {@code $R/} and 32
 * lowercase hexadecimal digits. The broker chooses a random name for each connection that subscribes, and sends it in
 * WELCOME.
 *
 * <p>Inboxes are the only topics whose names begin with {@code $}. A wildcard in the first level of a filter does not
 * match them, and a filter that begins with {@code $} cannot have wildcards. The broker accepts subscriptions to an
 * inbox, and to the buffers that hold its replies, only from the connection for which it has chosen the name. No other
 * client can therefore receive the replies, not even after the connection has ended.
 *
 * <p>Only the client library uses inboxes; {@link TopicName} and {@link TopicFilter} reject their names in programs.
 */
public final class InboxName {
    private static final String PREFIX = "$R/";
    private static final int DIGITS = 32;
    private static final int SHOWN_DIGITS = 8;
    /** Length of an inbox's name in bytes. */
    static final int LENGTH = PREFIX.length() + DIGITS;

    private InboxName() {}

    /** Returns a new name, with 122 random bits. */
    public static String random() {
        return PREFIX + UUID.randomUUID().toString().replace("-", "");
    }

    /**
     * Returns the name of a topic for display. The names of inboxes must stay secret, so only the beginning of the name
     * is returned if the topic is an inbox.
     */
    public static String shown(String topic) {
        return is(topic) ? topic.substring(0, PREFIX.length() + SHOWN_DIGITS) + "..." : topic;
    }

    /** Returns true if a topic is an inbox. */
    public static boolean is(String topic) {
        if (!topic.startsWith(PREFIX) || topic.length() != LENGTH) {
            return false;
        }
        for (int i = PREFIX.length(); i < topic.length(); i++) {
            char c = topic.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }
}
