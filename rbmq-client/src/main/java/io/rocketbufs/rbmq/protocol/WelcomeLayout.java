package io.rocketbufs.rbmq.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;

/**
 * Body of WELCOME, with which the broker introduces itself to each client. Readers ignore any data after these fields,
 * so that a newer broker can add fields.
 *
 * <pre>
 *  0         4         12          20             28                36                71
 *  +---------+----------+-----------+--------------+-----------------+-----------------+
 *  | version | features | broker id | max capacity | longest message | inbox, in ASCII |
 *  +---------+----------+-----------+--------------+-----------------+-----------------+
 * </pre>
 *
 * Only a subscriber has an inbox, and only if the broker supports requests. Otherwise, the message ends before the
 * inbox, or contains other bytes in its place, such as zeros.
 */
public final class WelcomeLayout {
    static final int LENGTH = 36;
    private static final int FEATURES = 4;
    private static final int BROKER_ID = 12;
    private static final int MAX_CAPACITY = 20;
    private static final int LONGEST_MESSAGE = 28;
    private static final int INBOX = 36;

    private WelcomeLayout() {}

    /** Writes an entire message. */
    public static ByteBuffer write(Welcome welcome) {
        return RbmqLayout.begin(RbmqType.WELCOME, LENGTH + welcome.inbox().length())
                .putInt(welcome.version())
                .putLong(welcome.features())
                .putLong(welcome.brokerId())
                .putLong(welcome.maxCapacity())
                .putLong(welcome.longestMessage())
                .put(welcome.inbox().getBytes(US_ASCII))
                .flip();
    }

    /** Reads a body whose length has been checked. */
    public static Welcome read(ByteBuffer body) {
        int start = body.position();
        return new Welcome(
                body.getInt(start),
                body.getLong(start + FEATURES),
                body.getLong(start + BROKER_ID),
                body.getLong(start + MAX_CAPACITY),
                body.getLong(start + LONGEST_MESSAGE),
                inbox(body));
    }

    private static String inbox(ByteBuffer body) {
        if (body.remaining() < INBOX + InboxName.LENGTH) {
            return "";
        }
        byte[] name = new byte[InboxName.LENGTH];
        body.get(body.position() + INBOX, name);
        String inbox = new String(name, US_ASCII);
        return InboxName.is(inbox) ? inbox : "";
    }
}
