package io.rocketbufs.rbmq.broker;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The notices to one subscriber, in order. A notice is sent immediately unless a list is waiting. A list, such as that
 * of all topics that match a filter, is encoded and sent in pieces on the subscriber's worker. Each piece is sent once
 * the transport has accepted everything before it. Therefore, even a list of ten thousand topics neither holds the lock
 * of {@link Topics} for long nor fills the queue of a connection whose client keeps reading.
 *
 * <pre>
 *   DIRECT ---a part of a list---&gt; WAITING ---all earlier messages are sent---&gt; a piece is sent
 *     ^                              ^                                               |
 *     |                              +---------------- more notices wait ------------+
 *     +-------------------------------------- no notice waits -----------------------+
 * </pre>
 *
 * <p>A subscriber with too many waiting notices is disconnected, because it would otherwise miss a change without
 * noticing.
 *
 * <p><b>Thread-safety:</b> notices that must arrive in order are submitted while the lock of {@link Topics} is held or
 * on the subscriber's worker; lists are sent on that worker.
 */
final class SubscriberNotices {
    /**
     * Number of buffers after which a piece ends. The client may react to each buffer with a request that the broker
     * answers, so the limit also bounds the number of replies that wait for the client.
     */
    static final int PIECE = 2048;

    private final Consumer<Runnable> afterSending;
    private final Consumer<ByteBuffer> sending;
    private final Consumer<String> givingUp;
    private final IntSupplier limit;

    // The following fields are guarded by this object's lock.
    private final Queue<Notice> waiting = new ArrayDeque<>();
    /** True while notices wait or a piece is being sent. */
    private boolean isWaiting;

    /**
     * A notice that is not encoded yet.
     *
     * @param size number of buffers that the notice lists, at least 1
     */
    private record Notice(Supplier<ByteBuffer> message, int size) {}

    /**
     * Creates the channel to a subscriber.
     *
     * @param afterSending runs a task on the subscriber's worker when no message is waiting to be sent to the
     *     subscriber
     * @param sending sends a message
     * @param givingUp disconnects the subscriber, because it does not read, for the given reason
     * @param limit supplies the maximum number of waiting notices, which a reload may change
     */
    SubscriberNotices(
            Consumer<Runnable> afterSending,
            Consumer<ByteBuffer> sending,
            Consumer<String> givingUp,
            IntSupplier limit) {
        this.afterSending = afterSending;
        this.sending = sending;
        this.givingUp = givingUp;
        this.limit = limit;
    }

    /** Sends a message after all waiting messages. */
    void send(ByteBuffer message) {
        boolean direct;
        synchronized (this) {
            direct = !isWaiting;
            if (!direct) {
                add(new Notice(() -> message, 1));
            }
        }
        if (direct) {
            sending.accept(message);
        }
    }

    /**
     * Sends a part of a list when no other message is waiting.
     *
     * @param message encodes the message when it is about to be sent; must not depend on state that may change until
     *     then
     * @param size number of buffers that the message lists, at least 1
     */
    synchronized void sendPart(Supplier<ByteBuffer> message, int size) {
        add(new Notice(message, size));
        sendLater();
    }

    private void add(Notice notice) {
        int most = limit.getAsInt();
        if (waiting.size() < most) {
            waiting.add(notice);
        } else {
            waiting.clear();
            givingUp.accept(most + " notices wait");
        }
    }

    private void sendLater() {
        if (!isWaiting) {
            isWaiting = true;
            afterSending.accept(this::sendPiece);
        }
    }

    private void sendPiece() {
        take().forEach(notice -> sending.accept(notice.message().get()));
        synchronized (this) {
            isWaiting = false;
            if (!waiting.isEmpty()) {
                sendLater();
            }
        }
    }

    private synchronized List<Notice> take() {
        List<Notice> piece = new ArrayList<>();
        int size = 0;
        while (!waiting.isEmpty() && size < PIECE) {
            size += waiting.element().size();
            piece.add(waiting.remove());
        }
        return piece;
    }
}
