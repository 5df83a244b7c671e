package io.rocketbufs.rbmq.broker;

/** The share of time that publishers spend waiting for subscribers. */
final class HeldBack {
    private static final double MILLI_NS = 1e6;
    private static final double WHOLE = 100;

    private HeldBack() {}

    /**
     * Returns the share in percent, from 0 to 100; 0 if there are no publishers. The result is capped at 100, because
     * publishers that have since left may also have waited.
     *
     * @param waitedMs time that publishers waited during the window, in milliseconds, summed over the publishers
     * @param windowNs length of the window, in nanoseconds
     */
    static double percent(long waitedMs, long windowNs, int publisherCount) {
        double all = windowNs / MILLI_NS * publisherCount;
        return all <= 0 ? 0 : Math.min(WHOLE, WHOLE * Math.max(0, waitedMs) / all);
    }
}
