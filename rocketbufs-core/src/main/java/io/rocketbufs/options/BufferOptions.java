package io.rocketbufs.options;

/**
 * The options of an output buffer. Start with {@link #DEFAULTS} and change individual options with the {@code with…}
 * methods.
 *
 * @param flowControl whether flow control is on; if not, the buffer is overwriting: it never blocks, and subscribers
 *     that fall behind lose the oldest data
 * @param coalescing whether several pending deliveries may be sent as one transfer; false sends each separately, as in
 *     the paper
 * @param slowPolicy the policy for subscribers that do not choose one
 * @param lagLimit maximum number of bytes that may wait to be sent to a subscriber under {@link SlowPolicy#DISCONNECT};
 *     0 for no limit
 * @param lagTimeoutMs how long a delivery may wait to be sent to a subscriber under {@link SlowPolicy#DISCONNECT}; the
 *     wait is measured four times in each heartbeat interval, for one delivery at a time, so a delivery can wait for up
 *     to about twice as long
 * @param stallTimeoutMs how long a subscriber may consume nothing while data waits for it; under
 *     {@link SlowPolicy#SKIP}, applies only after the buffer has ended
 * @param hold whether data is kept for the first subscriber; false discards data while there is no subscriber
 * @param discardable whether individual deliveries can be discarded with {@code ROut.discard}
 * @param recordCount maximum number of deliveries in transit when each is tracked separately: with a data-out callback,
 *     in a discardable buffer, or without coalescing
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
        int recordCount) {

    /**
     * The default options: flow control and coalescing on, policy {@link SlowPolicy#BLOCK}, a lag timeout of 1 s, no
     * lag limit, and a stall timeout of 30 s. Data is discarded while there is no subscriber.
     */
    public static final BufferOptions DEFAULTS =
            new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1_000, 30_000, false, false, 4096);

    /** Validates the limits and timeouts. */
    public BufferOptions {
        if (lagLimit < 0 || lagTimeoutMs < 1 || stallTimeoutMs < 1 || recordCount < 2) {
            throw new IllegalArgumentException("invalid limit: lagLimit=" + lagLimit + " lagTimeoutMs=" + lagTimeoutMs
                    + " stallTimeoutMs=" + stallTimeoutMs + " recordCount=" + recordCount);
        }
    }

    /** Returns a copy with flow control on or off. */
    public BufferOptions withFlowControl(boolean on) {
        return new BufferOptions(
                on, coalescing, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, discardable, recordCount);
    }

    /** Returns a copy with coalescing on or off. */
    public BufferOptions withCoalescing(boolean on) {
        return new BufferOptions(
                flowControl, on, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, discardable, recordCount);
    }

    /** Returns a copy with the given policy. */
    public BufferOptions withSlowPolicy(SlowPolicy policy) {
        return new BufferOptions(
                flowControl,
                coalescing,
                policy,
                lagLimit,
                lagTimeoutMs,
                stallTimeoutMs,
                hold,
                discardable,
                recordCount);
    }

    /** Returns a copy with the given limits for subscribers under {@link SlowPolicy#DISCONNECT}. */
    public BufferOptions withLagLimits(long lagLimit, long lagTimeoutMs) {
        return new BufferOptions(
                flowControl,
                coalescing,
                slowPolicy,
                lagLimit,
                lagTimeoutMs,
                stallTimeoutMs,
                hold,
                discardable,
                recordCount);
    }

    /** Returns a copy with the given time limit for subscribers that consume nothing. */
    public BufferOptions withStallTimeout(long stallTimeoutMs) {
        return new BufferOptions(
                flowControl,
                coalescing,
                slowPolicy,
                lagLimit,
                lagTimeoutMs,
                stallTimeoutMs,
                hold,
                discardable,
                recordCount);
    }

    /** Returns a copy that holds, or does not hold, data for the first subscriber. */
    public BufferOptions withHold(boolean on) {
        return new BufferOptions(
                flowControl,
                coalescing,
                slowPolicy,
                lagLimit,
                lagTimeoutMs,
                stallTimeoutMs,
                on,
                discardable,
                recordCount);
    }

    /** Returns a copy that does, or does not, allow individual deliveries to be discarded. */
    public BufferOptions withDiscardable(boolean on) {
        return new BufferOptions(
                flowControl, coalescing, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, on, recordCount);
    }

    /** Returns a copy with the given number of records. */
    public BufferOptions withRecordCount(int count) {
        return new BufferOptions(
                flowControl, coalescing, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, discardable, count);
    }
}
