package io.rocketbufs.rbmq.protocol;

import java.nio.ByteBuffer;

/**
 * Body of GROUP_SUBSCRIBE: the subscriber's number for this subscription, the name of the group, and the filter, which
 * fills the rest of the message. The length of the name is an unsigned byte. Group names follow the rules for topic
 * names.
 *
 * <pre>
 *  0              4              5         5+n
 *  +--------------+--------------+---------+----------
 *  | subscription | group length | group … | filter …
 *  +--------------+--------------+---------+----------
 * </pre>
 */
public final class GroupLayout {
    static final int FIXED_LENGTH = 5;
    private static final int GROUP_LENGTH = 4;

    private GroupLayout() {}

    /**
     * Checks a group's name.
     *
     * @throws IllegalArgumentException when the name is invalid
     */
    public static void checkName(String group) {
        encode(group);
    }

    private static byte[] encode(String group) {
        try {
            return TopicName.encode(group);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("invalid name of a group: " + e.getMessage(), e);
        }
    }

    /**
     * Writes an entire message.
     *
     * @throws IllegalArgumentException when the group's name or the filter is invalid
     */
    public static ByteBuffer write(int subscription, String group, String filter) {
        byte[] groupName = encode(group);
        byte[] filterName = TopicFilter.of(filter).encode();
        return RbmqLayout.begin(RbmqType.GROUP_SUBSCRIBE, FIXED_LENGTH + groupName.length + filterName.length)
                .putInt(subscription)
                .put((byte) groupName.length)
                .put(groupName)
                .put(filterName)
                .flip();
    }

    /** Returns the subscriber's number for the subscription. */
    public static int subscription(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /**
     * Returns the name of the group.
     *
     * @throws IllegalArgumentException when the name is truncated or invalid
     */
    public static String group(ByteBuffer body) {
        int start = body.position() + FIXED_LENGTH;
        int length = groupLength(body);
        if (length > body.limit() - start) {
            throw new IllegalArgumentException("the name of a group has " + length + " bytes, but is cut off after "
                    + (body.limit() - start) + " bytes");
        }
        String group = TopicName.text(body.duplicate().limit(start + length).position(start));
        checkName(group);
        return group;
    }

    /**
     * Returns the filter of a message whose group has already been read.
     *
     * @throws IllegalArgumentException when the filter is invalid
     */
    public static TopicFilter filter(ByteBuffer body) {
        return TopicFilter.decode(body.duplicate().position(body.position() + FIXED_LENGTH + groupLength(body)));
    }

    private static int groupLength(ByteBuffer body) {
        return body.get(body.position() + GROUP_LENGTH) & 0xff;
    }
}
