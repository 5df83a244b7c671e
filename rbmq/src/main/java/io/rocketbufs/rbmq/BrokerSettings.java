package io.rocketbufs.rbmq;

import io.rocketbufs.options.SlowPolicy;
import java.util.List;

/**
 * How a broker works.
 *
 * @param listeners at least one
 * @param admin the admin interface
 * @param credentials tokens of which a client must present one; empty lets everybody in
 * @param insecure true where addresses that are not loopback may do without credentials
 * @param capacity bytes of the buffer for a publisher's topic, unless the publisher's own is larger
 * @param maxCapacity largest such buffer that a publisher may make necessary
 * @param slow what happens to slow subscribers that wish nothing else
 * @param joinTimeoutMs how long a new publisher's data is held for each subscriber of its topic
 * @param drainTimeoutMs how long what a lost publisher left is kept for slow subscribers
 */
public record BrokerSettings(
        List<ListenerSettings> listeners,
        AdminSettings admin,
        List<String> credentials,
        boolean insecure,
        long capacity,
        long maxCapacity,
        Slow slow,
        long joinTimeoutMs,
        long drainTimeoutMs) {

    /**
     * What happens to slow subscribers.
     *
     * @param policy for subscribers that wish nothing else
     * @param lagLimit bytes that one under {@link SlowPolicy#DISCONNECT} may lag; 0 for any number
     * @param lagTimeoutMs how long messages may wait for one under {@link SlowPolicy#DISCONNECT}
     * @param stallTimeoutMs how long one may consume nothing while data waits for it
     */
    public record Slow(SlowPolicy policy, long lagLimit, long lagTimeoutMs, long stallTimeoutMs) {}
}
