package io.rocketbufs.rbmq.broker;

/**
 * The buffer in which the last message of a topic arrived, and the copy of this message that remains after the
 * publisher has left. Buffers whose rule does not keep the last message are ignored.
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
 * <p>A worker that records an arrival checks for a copy afterwards. A worker that adds a copy checks for arrivals
 * afterwards. If they do so at the same time, at least one of them therefore sees that the copy is outdated.
 *
 * <p><b>Thread-safety:</b> the copy is changed while the lock of {@link Topics} is held; any thread may record
 * arrivals.
 */
final class LastMessage {
    private final Runnable onOutdated;
    /** The broker's id of the buffer in which the last message arrived; 0 if no message has arrived. */
    private volatile int newest;

    private volatile KeptMessage copy;

    /**
     * Creates a record without a message.
     *
     * @param onOutdated removes an outdated copy; runs on the worker that received a newer message
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

    /** Returns true if the last message arrived in the given buffer. */
    boolean isIn(int bufferId) {
        return newest == bufferId;
    }

    /** Returns the copy of the last message, whose publisher has left; null if there is no copy. */
    KeptMessage copy() {
        return copy;
    }

    /** Replaces the copy; null removes it. */
    void setCopy(KeptMessage next) {
        copy = next;
    }
}
