package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of SUBSCRIBE: the metadata of the subscriber's buffer (RocketBufs 3.2: address, size, remote key).
 *
 * <pre>
 *  0           4        8            16                  20       21       22   24          32       40
 *  +-----------+--------+------------+-------------------+--------+--------+----+-----------+--------+
 *  | buffer id |  tag   |  capacity  | longest coalesced | policy | demand | 0  |  address  |  key   |
 *  +-----------+--------+------------+-------------------+--------+--------+----+-----------+--------+
 *  40        48       56           64
 *  +---------+--------+------------+
 *  |  start  |  kept  |  identity  |
 *  +---------+--------+------------+
 * </pre>
 *
 * The tag identifies the subscription in the immediate data of every subsequent write. The policy applies when the
 * subscriber is slow; 0 selects the buffer's policy. The demand is 0 if the subscriber accepts a buffer with or without
 * flow control, 1 if it requires flow control, and 2 if it requires the absence of flow control.
 *
 * <p>The start is a position in the sender's buffer, or a code: -1 for the next delivery, -2 for the oldest data kept,
 * or -3 for the newest data kept. The length of the memory is the sum of capacity and kept bytes, but only the capacity
 * counts as credit. A sender that addresses the memory returns to the first byte after this length. The subscriber
 * chooses the identity, and uses the same identity for all its subscriptions to one buffer over successive connections;
 * 0 means none.
 */
public final class SubscribeLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 64;

    private SubscribeLayout() {}

    /** Writes the buffer id and the tag. The calls for the other parts must follow in order. */
    public static void putIds(ByteBuffer message, int bufferId, int tag) {
        message.putInt(bufferId).putInt(tag);
    }

    /** Writes the capacity, the transfer limit, the policy and the demand. */
    public static void putLimits(ByteBuffer message, long capacity, int transferLimit, int policy, int demand) {
        message.putLong(capacity)
                .putInt(transferLimit)
                .put((byte) policy)
                .put((byte) demand)
                .putShort((short) 0);
    }

    /** Writes the access to the subscriber's memory. */
    public static void putAccess(ByteBuffer message, long address, long key) {
        message.putLong(address).putLong(key);
    }

    /** Writes the code of the subscription's start, and the number of consumed bytes that are kept. */
    public static void putStart(ByteBuffer message, long start, long kept) {
        message.putLong(start).putLong(kept);
    }

    /** Writes the subscriber's identity. */
    public static void putIdentity(ByteBuffer message, long identity) {
        message.putLong(identity);
    }

    /** Returns the id of the requested buffer. */
    public static int bufferId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the subscriber's tag for this subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position() + 4);
    }

    /** Returns the capacity of the subscriber's buffer in bytes. */
    public static long capacity(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    /** Returns the subscriber's limit for transfers that combine several deliveries, in bytes. */
    public static int transferLimit(ByteBuffer body) {
        return body.getInt(body.position() + 16);
    }

    /** Returns the code of the policy for a slow subscriber. */
    public static int policy(ByteBuffer body) {
        return body.get(body.position() + 20);
    }

    /** Returns the subscriber's demand for flow control. */
    public static int demand(ByteBuffer body) {
        return body.get(body.position() + 21);
    }

    /** Returns the base address of the subscriber's memory. */
    public static long address(ByteBuffer body) {
        return body.getLong(body.position() + 24);
    }

    /** Returns the remote key of the subscriber's memory. */
    public static long key(ByteBuffer body) {
        return body.getLong(body.position() + 32);
    }

    /** Returns the code of the subscription's start. */
    public static long start(ByteBuffer body) {
        return body.getLong(body.position() + 40);
    }

    /** Returns the number of bytes, in addition to the capacity, that stay intact in memory after consumption. */
    public static long kept(ByteBuffer body) {
        return body.getLong(body.position() + 48);
    }

    /** Returns the subscriber's identity; 0 means none. */
    public static long identity(ByteBuffer body) {
        return body.getLong(body.position() + 56);
    }
}
