package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.options.SlowPolicy;
import java.nio.ByteBuffer;

/**
 * Body of TOPIC_SUBSCRIBE: the subscriber's number for this subscription, the slow policy, and the filter, which fills
 * the rest of the message. The policy is the one that the subscriber will request for each buffer: 0 for the broker's
 * policy, otherwise the ordinal in {@link SlowPolicy} plus 1. A filter without wildcards is the name of one topic. A
 * filter with wildcards requires {@link Features#FILTERS} on both sides.
 *
 * <pre>
 *  0              4        5
 *  +--------------+--------+----------
 *  | subscription | policy | filter …
 *  +--------------+--------+----------
 * </pre>
 */
public final class TopicLayout {
    static final int FIXED_LENGTH = 5;

    private TopicLayout() {}

    /**
     * Writes an entire message.
     *
     * @throws IllegalArgumentException when the filter is invalid
     */
    public static ByteBuffer write(int subscription, SlowPolicy policy, String filter) {
        byte[] name = TopicFilter.ofOrInbox(filter).encode();
        return RbmqLayout.begin(RbmqType.TOPIC_SUBSCRIBE, FIXED_LENGTH + name.length)
                .putInt(subscription)
                .put((byte) (policy == null ? 0 : policy.ordinal() + 1))
                .put(name)
                .flip();
    }

    /** Returns the subscriber's number for the subscription. */
    public static int subscription(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the policy; null leaves the choice to the broker. */
    public static SlowPolicy policy(ByteBuffer body) {
        int code = body.get(body.position() + 4) & 0xff;
        if (code > SlowPolicy.values().length) {
            throw RbmqLayout.violation("unknown slow policy " + code);
        }
        return code == 0 ? null : SlowPolicy.values()[code - 1];
    }

    /**
     * Returns the filter.
     *
     * @throws IllegalArgumentException when the filter is invalid
     */
    public static TopicFilter filter(ByteBuffer body) {
        return TopicFilter.decode(body.duplicate().position(body.position() + FIXED_LENGTH));
    }
}
