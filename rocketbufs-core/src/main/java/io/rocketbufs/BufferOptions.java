package io.rocketbufs;

import io.rocketbufs.delivery.FanoutTerms;
import io.rocketbufs.delivery.OutputOptions;

/**
 * How a buffer of an ROut behaves; {@link #DEFAULTS} with changes.
 *
 * @param flowControl false makes it overwriting: it never blocks, and subscribers that fall behind lose the oldest
 * @param coalescing several pending deliveries may travel as one transfer; false gives the paper's literal form
 * @param slowPolicy for subscribers that wish nothing else
 * @param lagLimit bytes that a subscriber under {@link SlowPolicy#DISCONNECT} may lag; 0 for any number
 * @param lagTimeoutMs how long a delivery may wait until it is sent to a subscriber under {@link SlowPolicy#DISCONNECT}
 * @param stallTimeoutMs how long a subscriber may consume nothing while data waits for it
 * @param hold keeps data for the first subscriber; false discards what nobody has subscribed to
 * @param discardable lets single deliveries be taken back with {@link ROut#discard}
 * @param recordCount deliveries that can be on their way where they are kept apart: with a data-out callback,
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

    /** Flow control and coalescing on, policy block, lag 1 s, stall 30 s, discard what nobody wants. */
    public static final BufferOptions DEFAULTS =
            new BufferOptions(true, true, SlowPolicy.BLOCK, 0, 1_000, 30_000, false, false, 4096);

    /** Checks the numbers. */
    public BufferOptions {
        if (lagLimit < 0 || lagTimeoutMs < 1 || stallTimeoutMs < 1 || recordCount < 2) {
            throw new IllegalArgumentException("lagLimit=" + lagLimit + " lagTimeoutMs=" + lagTimeoutMs
                    + " stallTimeoutMs=" + stallTimeoutMs + " recordCount=" + recordCount);
        }
    }

    /** These with flow control on or off. */
    public BufferOptions withFlowControl(boolean on) {
        return new BufferOptions(
                on, coalescing, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, discardable, recordCount);
    }

    /** These with coalescing on or off. */
    public BufferOptions withCoalescing(boolean on) {
        return new BufferOptions(
                flowControl, on, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, discardable, recordCount);
    }

    /** These with another policy. */
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

    /** These with other limits for subscribers under {@link SlowPolicy#DISCONNECT}. */
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

    /** These with another time for subscribers that consume nothing. */
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

    /** These with or without holding data for the first subscriber. */
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

    /** These with deliveries discardable or not. */
    public BufferOptions withDiscardable(boolean on) {
        return new BufferOptions(
                flowControl, coalescing, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, on, recordCount);
    }

    /** These with another number of records. */
    public BufferOptions withRecordCount(int count) {
        return new BufferOptions(
                flowControl, coalescing, slowPolicy, lagLimit, lagTimeoutMs, stallTimeoutMs, hold, discardable, count);
    }

    FanoutTerms terms() {
        return new FanoutTerms(flowControl, coalescing, slowPolicy.core(), lagLimit, lagTimeoutMs, stallTimeoutMs);
    }

    OutputOptions output() {
        return new OutputOptions(terms(), recordCount, discardable, hold);
    }
}
