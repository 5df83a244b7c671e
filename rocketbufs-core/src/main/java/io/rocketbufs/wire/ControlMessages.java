package io.rocketbufs.wire;

import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;

/**
 * A factory for control messages. Also checks an arriving message before its body is read.
 *
 * <p>Messages about a subscription's stream are short and frequent, so they are written into the caller's memory. Other
 * messages wait in a queue, so each of them has its own memory.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class ControlMessages {
    private ControlMessages() {}

    /** Returns a HELLO message. */
    public static ByteBuffer hello(int role, int heartbeatMs, byte[] greeting) {
        ByteBuffer message = begin(ControlType.HELLO, HelloLayout.FIXED_LENGTH + greeting.length, 0);
        HelloLayout.put(message, role, heartbeatMs, greeting);
        return ControlLayout.end(message);
    }

    /** Returns a SUBSCRIBE message with the requested terms and the access to the subscriber's memory. */
    public static ByteBuffer subscribe(
            int bufferId, int tag, long capacity, SubscribeOptions options, RemoteAccess access) {
        ByteBuffer message = begin(ControlType.SUBSCRIBE, SubscribeLayout.LENGTH, tag);
        SubscribeLayout.putIds(message, bufferId, tag);
        int policy = options.slowPolicy() == null ? 0 : options.slowPolicy().code();
        int demand = options.flowControl() == null ? 0 : options.flowControl() ? 1 : 2;
        SubscribeLayout.putLimits(message, capacity, options.transferLimit(), policy, demand);
        SubscribeLayout.putAccess(message, access.address(), access.key());
        SubscribeLayout.putStart(message, options.start().code(), options.keep());
        SubscribeLayout.putIdentity(message, options.identity());
        return ControlLayout.end(message);
    }

    /**
     * Returns a SUBSCRIBED message.
     *
     * @param word the word to which the peer may write its consumed position
     * @param startPosition position in the buffer's data at which the subscription starts
     * @param livePosition position at which the buffer's data ended when the subscription started
     */
    public static ByteBuffer subscribed(
            int tag,
            boolean overwriting,
            boolean lossy,
            RemoteAccess word,
            long startPosition,
            long livePosition,
            int correlationId) {
        ByteBuffer message = begin(ControlType.SUBSCRIBED, SubscribedLayout.LENGTH, correlationId);
        SubscribedLayout.putKind(message, tag, overwriting, lossy);
        SubscribedLayout.putWord(message, word.address(), word.key());
        SubscribedLayout.putPositions(message, startPosition, livePosition);
        return ControlLayout.end(message);
    }

    /** Returns a SUBSCRIBE_REFUSED message. */
    public static ByteBuffer refused(int tag, String reason, int correlationId) {
        return text(ControlType.SUBSCRIBE_REFUSED, tag, reason, correlationId);
    }

    /** Returns a SUBSCRIPTION_FAILED message. */
    public static ByteBuffer subscriptionFailed(int tag, String reason) {
        return text(ControlType.SUBSCRIPTION_FAILED, tag, reason, 0);
    }

    /** Returns an UNSUBSCRIBE message. */
    public static ByteBuffer unsubscribe(int tag) {
        ByteBuffer message = begin(ControlType.UNSUBSCRIBE, PositionLayout.LENGTH, tag);
        PositionLayout.put(message, tag, 0);
        return ControlLayout.end(message);
    }

    /** Returns a CREDIT message. */
    public static ByteBuffer credit(int tag, long position) {
        ByteBuffer message = begin(ControlType.CREDIT, PositionLayout.LENGTH, 0);
        PositionLayout.put(message, tag, position);
        return ControlLayout.end(message);
    }

    /** Returns a PING message. */
    public static ByteBuffer ping() {
        return ControlLayout.end(begin(ControlType.PING, 0, 0));
    }

    /**
     * Returns a GOODBYE message.
     *
     * @param tag {@link TextLayout#TEMPORARY} if the message refuses a connection temporarily; otherwise 0
     */
    public static ByteBuffer goodbye(String reason, int tag) {
        return text(ControlType.GOODBYE, tag, reason, 0);
    }

    /** Returns an APPLICATION message with the bytes from the position to the limit of {@code body}. */
    public static ByteBuffer application(ByteBuffer body) {
        return ControlLayout.end(
                begin(ControlType.APPLICATION, body.remaining(), 0).put(body));
    }

    /** Writes a message that consists of a tag and a position. */
    public static ByteBuffer position(ByteBuffer into, ControlType type, int tag, long position) {
        ByteBuffer message = ControlLayout.begin(into, type, 0);
        PositionLayout.put(message, tag, position);
        return ControlLayout.end(message);
    }

    /** Writes a GAP message. */
    public static ByteBuffer gap(ByteBuffer into, int tag, long position, long lost) {
        ByteBuffer message = ControlLayout.begin(into, ControlType.GAP, 0);
        GapLayout.put(message, tag, position, lost);
        return ControlLayout.end(message);
    }

    /** Writes a SEEK message. */
    public static ByteBuffer seek(ByteBuffer into, int grantId, long offset) {
        ByteBuffer message = ControlLayout.begin(into, ControlType.SEEK, 0);
        SeekLayout.put(message, grantId, offset);
        return ControlLayout.end(message);
    }

    /** Writes a READ_REQUEST message with the access to the memory that receives the answer. */
    public static ByteBuffer readRequest(ByteBuffer into, int grantId, int length, long offset, RemoteAccess landing) {
        ByteBuffer message = ControlLayout.begin(into, ControlType.READ_REQUEST, 0);
        ReadLayout.putRange(message, grantId, length, offset);
        ReadLayout.putAccess(message, landing.address(), landing.key());
        return ControlLayout.end(message);
    }

    /** Starts an ATOMIC_REQUEST message; its body must follow. */
    public static ByteBuffer beginAtomic(ByteBuffer into) {
        return ControlLayout.begin(into, ControlType.ATOMIC_REQUEST, 0);
    }

    /** Writes an ATOMIC_ANSWER message. */
    public static ByteBuffer atomicAnswer(ByteBuffer into, long before) {
        ByteBuffer message = ControlLayout.begin(into, ControlType.ATOMIC_ANSWER, 0);
        AtomicLayout.putBefore(message, before);
        return ControlLayout.end(message);
    }

    /** Returns a REVOKE or a REVOKED message. */
    public static ByteBuffer revocation(ControlType type, int grantId, int serial) {
        ByteBuffer message = begin(type, RevokeLayout.LENGTH, 0);
        RevokeLayout.put(message, grantId, serial);
        return ControlLayout.end(message);
    }

    private static ByteBuffer text(ControlType type, int tag, String text, int correlationId) {
        ByteBuffer message = begin(type, TextLayout.MAX_WRITTEN_LENGTH, correlationId);
        TextLayout.put(message, tag, text);
        return ControlLayout.end(message);
    }

    private static ByteBuffer begin(ControlType type, int bodyLength, int correlationId) {
        ByteBuffer message = ByteBuffer.allocateDirect(ControlLayout.HEADER_LENGTH + bodyLength);
        return ControlLayout.begin(message, type, correlationId);
    }

    /**
     * Checks the header of a message and sets the message's position to the body.
     *
     * @return the type of the message
     * @throws TransportException with code PROTOCOL, naming the invalid field and its value
     */
    public static ControlType check(ByteBuffer message) {
        if (message.remaining() < ControlLayout.HEADER_LENGTH) {
            throw wrong("has " + message.remaining() + " bytes, fewer than a header has");
        }
        int code = ControlLayout.typeCode(message);
        ControlType type = ControlType.of(code);
        int version = ControlLayout.version(message);
        if (version != ControlLayout.VERSION) {
            throw wrong("type=" + code + " has version=" + version + ", but only version " + ControlLayout.VERSION
                    + " is supported");
        }
        if (type == null) {
            throw wrong("has unknown type=" + code);
        }
        int bodyLength = ControlLayout.bodyLength(message);
        if (bodyLength != message.remaining() - ControlLayout.HEADER_LENGTH || !type.allows(bodyLength)) {
            throw wrong("type=" + type + " states length=" + bodyLength + ", but its length is "
                    + (message.remaining() - ControlLayout.HEADER_LENGTH));
        }
        message.position(message.position() + ControlLayout.HEADER_LENGTH);
        return type;
    }

    private static TransportException wrong(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "control message " + what);
    }
}
