package io.rocketbufs.options;

/**
 * The options of an output buffer: {@link #DEFAULTS} with changes.
 *
 * @param flowControl false makes it overwriting: it never blocks, and subscribers that fall behind lose the oldest
 * @param coalescing several pending deliveries may travel as one transfer; false gives the paper's literal form
 * @param slowPolicy applies to subscribers that state none of their own
 * @param lagLimit bytes that may wait to be sent to a subscriber under {@link SlowPolicy#DISCONNECT}; 0 for any number
 * @param lagTimeoutMs how long a delivery may wait to be sent to a subscriber under {@link SlowPolicy#DISCONNECT};
 *     measured four times in each heartbeat interval, so that the wait may last about twice as long
 * @param stallTimeoutMs how long a subscriber may consume nothing while data waits for it; under
 *     {@link SlowPolicy#SKIP} only once the buffer has ended
 * @param hold keeps data for the first subscriber; false discards data while there is none
 * @param discardable allows single deliveries to be discarded with {@code ROut.discard}
 * @param recordCount maximum number of deliveries in transit when they are kept apart: with a data-out callback,
 *     discardable, or without coalescing
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
     * Flow control and coalescing on, policy block, lag timeout 1 s, no lag limit, stall timeout 30 s; data without a
     * subscriber is discarded.
     */
    public static final BufferOptions DEFAULTS =
            new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1_000, 30_000, false, false, 4096);

    /** Validates the limits and timeouts. */
    public BufferOptions {
        if (lagLimit < 0 || lagTimeoutMs < 1 || stallTimeoutMs < 1 || recordCount < 2) {
            throw new IllegalArgumentException("lagLimit=" + lagLimit + " lagTimeoutMs=" + lagTimeoutMs
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

    /** Returns a copy with deliveries discardable or not. */
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
