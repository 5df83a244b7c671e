package io.rocketbufs.rbmq.broker;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The outgoing notices to one client about a state of each of its buffers, such as the number of subscribers. A notice
 * that becomes outdated before it is sent is replaced. Changed notices are sent when no other message is waiting.
 * However often the states change, at most one notice per buffer waits for a client that does not read.
 *
 * <pre>
 *   IDLE ---change---&gt; WAITING ---all earlier messages are sent---&gt; the newest notices are sent
 *    ^                    ^                                                  |
 *    |                    +------------------- changed since ----------------+
 *    +--------------------------------------- not changed ------------------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> {@link #begin}, {@link #end} and the sending itself run on the client's worker, so that the
 * notice sent by {@link #begin} precedes later ones; {@link #change} may be called on any thread.
 */
final class BufferNotices {
    /** Maximum number of notices that are sent before the worker serves other clients. */
    private static final int PIECE = 4096;

    private final Consumer<Runnable> afterSending;
    private final Consumer<ByteBuffer> sending;

    // The following fields are guarded by this object's lock.
    /** The notices to send, by the client's id of the buffer. */
    private final Map<Integer, ByteBuffer> changed = new LinkedHashMap<>();

    private boolean waiting;

    /**
     * Creates the channel to a client.
     *
     * @param afterSending runs a task on the client's worker when no message is waiting to be sent to the client
     * @param sending sends a message
     */
    BufferNotices(Consumer<Runnable> afterSending, Consumer<ByteBuffer> sending) {
        this.afterSending = afterSending;
        this.sending = sending;
    }

    /** Sends the first notice about a buffer. */
    void begin(ByteBuffer notice) {
        sending.accept(notice);
    }

    /** Sends a notice when no other message is waiting, unless a newer notice about the buffer replaces it first. */
    synchronized void change(int bufferId, ByteBuffer notice) {
        changed.put(bufferId, notice);
        sendLater();
    }

    /** Stops the notices about a removed buffer. */
    synchronized void end(int bufferId) {
        changed.remove(bufferId);
    }

    private void sendLater() {
        if (!waiting) {
            waiting = true;
            afterSending.accept(this::send);
        }
    }

    private void send() {
        take().forEach(sending);
        synchronized (this) {
            waiting = false;
            if (!changed.isEmpty()) {
                sendLater();
            }
        }
    }

    private synchronized List<ByteBuffer> take() {
        List<ByteBuffer> taken = new ArrayList<>();
        Iterator<ByteBuffer> next = changed.values().iterator();
        while (next.hasNext() && taken.size() < PIECE) {
            taken.add(next.next());
            next.remove();
        }
        return taken;
    }
}
