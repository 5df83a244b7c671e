package io.rocketbufs.rbmq.broker;

/**
 * The buffer in which the last message of a topic has arrived, and the copy of this message that remains when the
 * publisher has left. Buffers whose rule does not keep the last message are left out.
 *
 * <pre>
 *                  arrival, in any buffer                   the publisher leaves
 *   no message ------------------------------&gt; in a buffer ----------------------&gt; copy
 *                                               ^                                   |
 *                                               +---arrival in another buffer-------+
 * </pre>
 *
 * <p>The last message is the one whose transfer the broker has processed most recently. For transfers that different
 * workers process at the same time, the order is arbitrary.
 *
 * <p>A worker that records an arrival looks for a copy after that. A worker that adds a copy looks for arrivals after
 * that. One of them therefore sees that the copy is out of date.
 *
 * <p><b>Thread-safety:</b> the copy changes under the lock of {@link Topics}; any thread records arrivals.
 */
final class LastMessage {
    private final Runnable onOutdated;
    /** The broker's id of the buffer in which the last message has arrived; 0 if there is none. */
    private volatile int newest;

    private volatile KeptMessage copy;

    /**
     * Creates a record without a message.
     *
     * @param onOutdated removes a copy that is out of date, on the worker on which a newer message has arrived
     */
    LastMessage(Runnable onOutdated) {
        this.onOutdated = onOutdated;
    }

    /** Records that a message has arrived in a buffer. */
    void arrived(int bufferId) {
        if (newest != bufferId) {
            newest = bufferId;
            if (copy != null) {
                onOutdated.run();
            }
        }
    }

    /** Returns true when the last message has arrived in the given buffer. */
    boolean isIn(int bufferId) {
        return newest == bufferId;
    }

    /** Returns the copy of the last message, whose publisher has left; null when there is none. */
    KeptMessage copy() {
        return copy;
    }

    /** Replaces the copy; null removes it. */
    void setCopy(KeptMessage next) {
        copy = next;
    }
}
