package io.rocketbufs.delivery;

/**
 * How a buffer treats its subscriptions.
 *
 * @param flowControlled false for an overwriting buffer
 * @param coalescing several pending deliveries may travel as one transfer
 * @param slowPolicy for subscriptions that wish nothing else
 * @param lagLimit bytes that a subscription with policy {@code disconnect} may lag behind; 0 for any number
 * @param lagMs how long a delivery may wait for a subscription with policy {@code disconnect}
 * @param stallMs how long a subscription that holds others back may consume nothing
 */
public record FanoutTerms(
        boolean flowControlled, boolean coalescing, SlowPolicy slowPolicy, long lagLimit, long lagMs, long stallMs) {

    /** These with flow control on or off. */
    FanoutTerms withFlowControl(boolean on) {
        return new FanoutTerms(on, coalescing, slowPolicy, lagLimit, lagMs, stallMs);
    }
}
