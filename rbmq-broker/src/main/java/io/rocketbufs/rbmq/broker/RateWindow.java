package io.rocketbufs.rbmq.broker;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A reader of a broker's counters that remembers earlier readings, from which rates follow. It reads only when it is
 * asked, and returns the last reading again if that is younger than 200 ms, or than ten times the time that it took.
 * Many readers therefore cost as much as one, and occupy at most about a tenth of a processor. The window of a rate
 * begins with the newest earlier reading that is about 1 s old or older. A reading that is older than 10 s is not used.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RateWindow {
    /** Less than 1 s, so that a client that asks once a second finds its last reading. */
    private static final long MIN_NS = 900_000_000L;

    private static final long MAX_NS = 10_000_000_000L;
    private static final long MILLI_NS = 1_000_000L;
    private static final long REUSE_NS = 200 * MILLI_NS;
    private static final long REST = 10;
    /** Less than the oldest reading that rates use, so that a broker whose readings take long also has rates. */
    private static final long MAX_REUSE_NS = MAX_NS / 2;

    private final Supplier<BrokerReading> reader;
    private final LongSupplier clockNs;
    private Sample last;
    /** When the last reading ended. */
    private long endNs;

    private long reuseNs;
    private BrokerReading newest;
    private BrokerReading previous;

    /**
     * Creates a window that has not read yet.
     *
     * @param clockNs the clock of the readings, in nanoseconds
     */
    RateWindow(Supplier<BrokerReading> reader, LongSupplier clockNs) {
        this.reader = reader;
        this.clockNs = clockNs;
    }

    /**
     * The current counters, and those at the beginning of the window.
     *
     * @param before null while no window has passed
     */
    record Sample(BrokerReading now, BrokerReading before) {
        /** Returns the length of the window in milliseconds; 0 while none has passed. */
        long windowMs() {
            return windowNs() / MILLI_NS;
        }

        private long windowNs() {
            return before == null ? 0 : now.atNs() - before.atNs();
        }

        Rates ofBroker() {
            return Rates.between(before == null ? null : before.traffic(), now.traffic(), windowNs());
        }

        /** Returns the share of time that publishers spent waiting; null while no window has passed. */
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

        /** Returns the counters at the beginning of the window, even for an object that did not exist then. */
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
