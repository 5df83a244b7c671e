package io.rocketbufs.delivery;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Control messages that wait for their connection: bounded, so that a peer which asks without reading cannot fill our
 * memory.
 *
 * <p><b>Thread-safety:</b> any thread offers; {@link #flush} runs under the {@link Sender}'s token. Not on the data
 * path: credit does not pass here.
 */
final class ControlQueue {
    /** Bytes that may wait when the peer's doing adds to them. */
    static final int ANSWER_LIMIT = 64 * 1024;
    /** Bytes that may wait when our application's doing adds to them. */
    static final int REQUEST_LIMIT = 1024 * 1024;

    private final ArrayDeque<ByteBuffer> messages = new ArrayDeque<>();
    private volatile int pendingLength;

    /** Queues a message; false when more than {@code limit} bytes would wait. */
    synchronized boolean offer(ByteBuffer message, int limit) {
        if (pendingLength + message.remaining() > limit) {
            return false;
        }
        messages.add(message);
        pendingLength += message.remaining();
        return true;
    }

    /** Puts a message before all others. */
    synchronized void offerFirst(ByteBuffer message) {
        messages.addFirst(message);
        pendingLength += message.remaining();
    }

    /** Throws away what waits. */
    synchronized void clear() {
        messages.clear();
        pendingLength = 0;
    }

    boolean isEmpty() {
        return pendingLength == 0;
    }

    /** Sends what waits. */
    PostResult flush(TransportConnection connection) {
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
        return messages.peek();
    }

    private synchronized void remove(int length) {
        messages.remove();
        pendingLength -= length;
    }
}
