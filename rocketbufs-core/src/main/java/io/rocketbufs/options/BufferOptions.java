package io.rocketbufs.options;

import java.util.function.Consumer;

/**
 * The options of an output buffer. Start with {@link #DEFAULTS} and change individual options with the {@code with…}
 * methods.
 *
 * @param flowControl whether flow control is on; if not, the buffer is overwriting: it never blocks, and subscribers
 *     that fall behind lose the oldest data
 * @param coalescing whether several pending deliveries may be sent as one transfer; false sends each delivery
 *     separately, as in the paper
 * @param slowPolicy the policy for subscribers that do not choose one
 * @param lagLimit maximum number of bytes that may wait to be sent to a subscriber under {@link SlowPolicy#DISCONNECT};
 *     0 for no limit
 * @param lagTimeoutMs how long a delivery may wait to be sent to a subscriber under {@link SlowPolicy#DISCONNECT}. A
 *     delivery can wait about twice as long, because the wait is measured four times in each heartbeat interval, for
 *     one delivery at a time
 * @param stallTimeoutMs how long a subscriber may consume nothing while data waits for it; under
 *     {@link SlowPolicy#SKIP}, applies only after the buffer has ended
 * @param hold whether data is kept for the first subscriber; false discards data while there is no subscriber
 * @param discardable whether individual deliveries can be discarded with {@code ROut.discard}
 * @param recordCount maximum number of deliveries in transit when each delivery is tracked separately: with a data-out
 *     callback, in a discardable buffer, or without coalescing
 * @param keep number of bytes of the newest data that stay available to later subscriptions after all current
 *     subscriptions have consumed them. They require memory in addition to the buffer's capacity
 * @param resume whether unconsumed data is kept when the connection of the last subscriber is lost, so that a later
 *     subscription can continue with this data
 */
public record BufferOptions(
        boolean flowControl,
        boolean coalescing,
        SlowPolicy slowPolicy,
        long lagLimit,
        long lagTimeoutMs,
        long stallTimeoutMs,
        boolean hold,
        boolean discardable,
        int recordCount,
        long keep,
        boolean resume) {

    /**
     * The default options: flow control and coalescing on, policy {@link SlowPolicy#BLOCK}, a lag timeout of 1 s, no
     * lag limit, and a stall timeout of 30 s. Data is discarded while there is no subscriber.
     */
    public static final BufferOptions DEFAULTS =
            new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1_000, 30_000, false, false, 4096, 0, false);

    /** Validates the limits and timeouts. */
    public BufferOptions {
        if (lagLimit < 0 || lagTimeoutMs < 1 || stallTimeoutMs < 1 || recordCount < 2 || keep < 0) {
            throw new IllegalArgumentException("invalid limit: lagLimit=" + lagLimit + " lagTimeoutMs=" + lagTimeoutMs
                    + " stallTimeoutMs=" + stallTimeoutMs + " recordCount=" + recordCount + " keep=" + keep);
        }
        if (resume && (!flowControl || discardable || slowPolicy == SlowPolicy.SKIP)) {
            throw new IllegalArgumentException("resume=true flowControl=" + flowControl + " discardable=" + discardable
                    + " slowPolicy=" + slowPolicy
                    + ": a buffer that keeps data until it is consumed needs flow control,"
                    + " a policy other than SKIP, and deliveries that cannot be discarded");
        }
    }

    /** Returns a copy with flow control on or off. */
    public BufferOptions withFlowControl(boolean on) {
        return changed(draft -> draft.flowControl = on);
    }

    /** Returns a copy with coalescing on or off. */
    public BufferOptions withCoalescing(boolean on) {
        return changed(draft -> draft.coalescing = on);
    }

    /** Returns a copy with the given policy. */
    public BufferOptions withSlowPolicy(SlowPolicy policy) {
        return changed(draft -> draft.slowPolicy = policy);
    }

    /** Returns a copy with the given limits for subscribers under {@link SlowPolicy#DISCONNECT}. */
    public BufferOptions withLagLimits(long lagLimit, long lagTimeoutMs) {
        return changed(draft -> {
            draft.lagLimit = lagLimit;
            draft.lagTimeoutMs = lagTimeoutMs;
        });
    }

    /** Returns a copy with the given time limit for subscribers that consume nothing. */
    public BufferOptions withStallTimeout(long stallTimeoutMs) {
        return changed(draft -> draft.stallTimeoutMs = stallTimeoutMs);
    }

    /** Returns a copy that holds, or does not hold, data for the first subscriber. */
    public BufferOptions withHold(boolean on) {
        return changed(draft -> draft.hold = on);
    }

    /** Returns a copy that does, or does not, allow individual deliveries to be discarded. */
    public BufferOptions withDiscardable(boolean on) {
        return changed(draft -> draft.discardable = on);
    }

    /** Returns a copy with the given number of records. */
    public BufferOptions withRecordCount(int count) {
        return changed(draft -> draft.recordCount = count);
    }

    /**
     * Returns a copy that keeps the newest {@code length} bytes for later subscriptions. A subscription that begins
     * with {@link Start#OLDEST} receives the deliveries that lie completely within these bytes. Where short deliveries
     * have been combined, up to 2 x memory / records bytes may be missing at the beginning. A subscription that
     * continues at a position within these bytes misses nothing. Data is also kept while there is no subscriber, and
     * the producer does not wait for one.
     *
     * <p>The buffer uses {@code length} bytes of memory in addition to its capacity. This memory may also contain data
     * that waits for a slow subscription, because that is the newest data. In an overwriting buffer, a subscription
     * that begins with kept data skips data that is overwritten before it has been sent, as any slow subscription does.
     * When the buffer is removed, no data is kept for later subscriptions. Less data is kept if the log runs out of
     * records: see {@code recordCount}. A subscription that begins with kept data needs a capacity of at least 2 x
     * memory / records + 1 bytes (129 bytes with the default options), because short deliveries are combined up to this
     * length.
     */
    public BufferOptions withKeep(long length) {
        return changed(draft -> draft.keep = length);
    }

    /**
     * Returns a copy that does, or does not, keep unconsumed data when the connection of the last subscriber is lost or
     * closed. A later subscription can continue exactly where the lost one stopped: see {@link Start#at}. A
     * subscription that does not request a position begins with the first delivery that is not known to be consumed, so
     * it may receive deliveries that the previous subscriber has already received. Data is kept without a time limit,
     * until that subscription begins or the buffer is removed. If the last subscriber unsubscribes, nothing is kept.
     *
     * <p>A subscriber may reconnect before the loss of its previous connection is detected, or while that connection is
     * still closing. If the subscriber has an {@linkplain SubscribeOptions#withIdentity identity}, its new subscription
     * supersedes the previous one, which then ends without making a flush fail or a delivery count as lost. Otherwise,
     * both subscriptions are independent.
     *
     * <p>The next subscription continues with the kept data even if it has another identity. If it begins after the
     * position at which the lost subscription stopped, the data in between counts as lost, unless the lost subscription
     * had no identity.
     *
     * <p>Data that has been sent occupies the buffer until it is consumed. The buffer's capacity should be at least
     * half of the subscriber's capacity; otherwise, the producer often waits for a requested report of consumption. A
     * subscription that continues needs at least a quarter of the previous subscription's capacity. This option
     * requires flow control, a policy other than {@link SlowPolicy#SKIP}, and a buffer that is neither discardable nor
     * spliced.
     */
    public BufferOptions withResume(boolean on) {
        return changed(draft -> draft.resume = on);
    }

    private BufferOptions changed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** A mutable copy of the options, from which changed options are created. */
    private static final class Draft {
        private boolean flowControl;
        private boolean coalescing;
        private SlowPolicy slowPolicy;
        private long lagLimit;
        private long lagTimeoutMs;
        private long stallTimeoutMs;
        private boolean hold;
        private boolean discardable;
        private int recordCount;
        private long keep;
        private boolean resume;

        private Draft(BufferOptions from) {
            flowControl = from.flowControl;
            coalescing = from.coalescing;
            slowPolicy = from.slowPolicy;
            lagLimit = from.lagLimit;
            lagTimeoutMs = from.lagTimeoutMs;
            stallTimeoutMs = from.stallTimeoutMs;
            hold = from.hold;
            discardable = from.discardable;
            recordCount = from.recordCount;
            keep = from.keep;
            resume = from.resume;
        }

        private BufferOptions options() {
            return new BufferOptions(
                    flowControl,
                    coalescing,
                    slowPolicy,
                    lagLimit,
                    lagTimeoutMs,
                    stallTimeoutMs,
                    hold,
                    discardable,
                    recordCount,
                    keep,
                    resume);
        }
    }

    /**
     * Returns SKIP if the producer never waits; otherwise, returns {@code asked} or, if that is null, the buffer's
     * policy.
     */
    public SlowPolicy policyFor(SlowPolicy asked) {
        if (!flowControl) {
            return SlowPolicy.SKIP;
        }
        return asked == null ? slowPolicy : asked;
    }

    /**
     * Returns the number of bytes of memory that a buffer of the given capacity needs.
     *
     * @throws IllegalArgumentException if the sum exceeds the range of a {@code long}
     */
    public long memoryLength(long capacity) {
        if (capacity > Long.MAX_VALUE - keep) {
            throw new IllegalArgumentException("capacity=" + capacity + " keep=" + keep);
        }
        return capacity + keep;
    }
}
