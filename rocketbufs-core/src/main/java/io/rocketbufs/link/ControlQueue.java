package io.rocketbufs.link;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The queue of control messages that wait to be sent on one connection. The queue is bounded, so a peer that sends
 * requests without reading the answers cannot exhaust memory.
 *
 * <p><b>Thread-safety:</b> any thread adds messages; {@link #sendTo} runs under the {@link Sender}'s token. Not used on
 * the data path: credit updates bypass this queue.
 */
final class ControlQueue {
    /**
     * Maximum total length in bytes of the answers that wait to be sent to the peer. Sufficient for 20,000 simultaneous
     * subscriptions, whose answers wait while both sides are busy reading.
     */
    static final int ANSWER_LIMIT = 1024 * 1024;
    /**
     * Maximum total length in bytes of the application's waiting requests. Sufficient for 10,000 topics with names of
     * maximum length.
     */
    static final int REQUEST_LIMIT = 4 * 1024 * 1024;

    private final ArrayDeque<Waiting> messages = new ArrayDeque<>();
    private volatile int pendingLength;
    /** Total length of the pending answers in bytes. */
    private int answersLength;

    private record Waiting(ByteBuffer message, boolean isAnswer) {}

    /** Queues a message; returns false if more than {@code limit} bytes of messages of its kind would be waiting. */
    synchronized boolean offer(ByteBuffer message, int limit) {
        boolean isAnswer = limit == ANSWER_LIMIT;
        int length = message.remaining();
        int before = isAnswer ? answersLength : pendingLength - answersLength;
        if (before + length > limit) {
            return false;
        }
        messages.add(new Waiting(message, isAnswer));
        pendingLength += length;
        answersLength += isAnswer ? length : 0;
        return true;
    }

    /** Queues a message ahead of all others. */
    synchronized void offerFirst(ByteBuffer message) {
        messages.addFirst(new Waiting(message, false));
        pendingLength += message.remaining();
    }

    /** Discards the waiting messages. */
    synchronized void clear() {
        messages.clear();
        pendingLength = 0;
        answersLength = 0;
    }

    boolean isEmpty() {
        return pendingLength == 0;
    }

    /** Sends the waiting messages. */
    PostResult sendTo(TransportConnection connection) {
        ByteBuffer message;
        while ((message = peek()) != null) {
            int length = message.remaining();
            PostResult result = connection.send(message);
            if (result != PostResult.SENT) {
                return result;
            }
            remove(length);
        }
        return PostResult.SENT;
    }

    private synchronized ByteBuffer peek() {
        Waiting first = messages.peek();
        return first == null ? null : first.message;
    }

    private synchronized void remove(int length) {
        answersLength -= messages.remove().isAnswer ? length : 0;
        pendingLength -= length;
    }
}
