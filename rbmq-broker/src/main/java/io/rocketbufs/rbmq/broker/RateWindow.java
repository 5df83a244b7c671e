package io.rocketbufs.rbmq.broker;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A reader of a broker's counters that remembers earlier readings, so that rates can be computed. It reads the counters
 * only on request. The last reading is reused for 200 ms or for ten times as long as it took, whichever is longer. Many
 * callers therefore cost no more than one and occupy at most about a tenth of a processor. The window of a rate starts
 * with an earlier reading that is at least about 1 s old. A reading older than 10 s is not used.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RateWindow {
    /** Less than 1 s, so that a client that polls once a second can use its previous reading. */
    private static final long MIN_NS = 900_000_000L;

    private static final long MAX_NS = 10_000_000_000L;
    private static final long MILLI_NS = 1_000_000L;
    private static final long REUSE_NS = 200 * MILLI_NS;
    private static final long REST = 10;
    /**
     * Less than the maximum age of a reading that rates use, so that rates are available even if readings take long.
     */
    private static final long MAX_REUSE_NS = MAX_NS / 2;

    private final Supplier<BrokerReading> reader;
    private final LongSupplier clockNs;
    private Sample last;
    /** Time at which the last reading ended. */
    private long endNs;

    private long reuseNs;
    private BrokerReading newest;
    private BrokerReading previous;

    /**
     * Creates a window without readings.
     *
     * @param clockNs the clock that times the readings, in nanoseconds
     */
    RateWindow(Supplier<BrokerReading> reader, LongSupplier clockNs) {
        this.reader = reader;
        this.clockNs = clockNs;
    }

    /**
     * The current counters and the counters at the start of the window.
     *
     * @param before the counters at the start of the window; null until a full window has passed
     */
    record Sample(BrokerReading now, BrokerReading before) {
        /** Returns the length of the window in milliseconds; 0 until a full window has passed. */
        long windowMs() {
            return windowNs() / MILLI_NS;
        }

        private long windowNs() {
            return before == null ? 0 : now.atNs() - before.atNs();
        }

        Rates ofBroker() {
            return Rates.between(before == null ? null : before.traffic(), now.traffic(), windowNs());
        }

        /** Returns the share of time that publishers spent waiting, in percent; null until a full window has passed. */
        Double heldBackPercent() {
            return before == null
                    ? null
                    : HeldBack.percent(
                            now.state().heldBackMs() - before.state().heldBackMs(),
                            windowNs(),
                            Math.max(
                                    now.state().publisherCount(), before.state().publisherCount()));
        }

        Rates of(TopicReading topic) {
            TopicReading then = before == null ? null : before.topics().get(topic.name());
            boolean isSame = then != null && then.identity() == topic.identity();
            return Rates.between(start(isSame ? then.traffic() : null), topic.traffic(), windowNs());
        }

        Rates of(ClientReading client) {
            ClientReading then =
                    before == null ? null : before.clients().get(client.client().address());
            boolean isSame = then != null && then.client().equals(client.client());
            return Rates.between(start(isSame ? then.traffic() : null), client.traffic(), windowNs());
        }

        /**
         * Returns the counters at the start of the window: zero for an object that did not exist yet, null until a full
         * window has passed.
         */
        private Traffic start(Traffic then) {
            return before != null && then == null ? Traffic.NONE : then;
        }
    }

    /** Reads the current counters, or returns the last reading if it is recent. */
    synchronized Sample read() {
        long beginNs = clockNs.getAsLong();
        if (last != null && beginNs - endNs < reuseNs) {
            return last;
        }
        BrokerReading now = reader.get();
        endNs = clockNs.getAsLong();
        reuseNs = Math.min(MAX_REUSE_NS, Math.max(REUSE_NS, REST * (endNs - beginNs)));
        if (newest == null || now.atNs() - newest.atNs() >= MIN_NS) {
            previous = newest;
            newest = now;
        }
        boolean isUsable = previous != null && now.atNs() - previous.atNs() <= MAX_NS;
        last = new Sample(now, isUsable ? previous : null);
        return last;
    }
}
