package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.InterestLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The numbers of subscribers of one publisher's topics, on their way to the publisher. A number that changes before it
 * is sent is replaced, and the next ones are sent when none waits. However often subscribers come and go, no more than
 * one notice for each topic waits for a publisher that does not read.
 *
 * <pre>
 *   IDLE ---change---&gt; WAITING ---all earlier messages are sent---&gt; the changed numbers are sent
 *    ^                    ^                                                   |
 *    |                    +------------------- changed since -----------------+
 *    +--------------------------------------- not changed -------------------+
 * </pre>
 *
 * <p><b>Thread-safety:</b> {@link #begin}, {@link #end} and sending on the publisher's worker, which keeps a number
 * that {@link #begin} sends before later ones; {@link #change} on any thread.
 */
final class InterestNotices {
    /** Maximum number of notices that are sent before others are served. */
    private static final int PIECE = 4096;

    private final Consumer<Runnable> afterSending;
    private final Consumer<ByteBuffer> sending;

    // Guarded by this object's lock.
    /** The numbers to send, by the publisher's id for the buffer. */
    private final Map<Integer, Integer> changed = new LinkedHashMap<>();

    private boolean waiting;

    /**
     * Creates the way to a publisher.
     *
     * @param afterSending runs a task on the publisher's worker when no message waits to be sent to it
     * @param sending sends a message
     */
    InterestNotices(Consumer<Runnable> afterSending, Consumer<ByteBuffer> sending) {
        this.afterSending = afterSending;
        this.sending = sending;
    }

    /** Sends the number of subscribers of a topic that the publisher begins to publish to. */
    void begin(int publishersId, int subscriberCount) {
        sending.accept(InterestLayout.write(publishersId, subscriberCount));
    }

    /** Sends a number that has changed, or the number that replaces it until then. */
    synchronized void change(int publishersId, int subscriberCount) {
        changed.put(publishersId, subscriberCount);
        sendLater();
    }

    /** Sends nothing more about a buffer that its publisher has removed. */
    synchronized void end(int publishersId) {
        changed.remove(publishersId);
    }

    private void sendLater() {
        if (!waiting) {
            waiting = true;
            afterSending.accept(this::send);
        }
    }

    private void send() {
        for (Map.Entry<Integer, Integer> each : take()) {
            sending.accept(InterestLayout.write(each.getKey(), each.getValue()));
        }
        synchronized (this) {
            waiting = false;
            if (!changed.isEmpty()) {
                sendLater();
            }
        }
    }

    private synchronized List<Map.Entry<Integer, Integer>> take() {
        List<Map.Entry<Integer, Integer>> taken = new ArrayList<>();
        Iterator<Map.Entry<Integer, Integer>> next = changed.entrySet().iterator();
        while (next.hasNext() && taken.size() < PIECE) {
            taken.add(Map.Entry.copyOf(next.next()));
            next.remove();
        }
        return taken;
    }
}
