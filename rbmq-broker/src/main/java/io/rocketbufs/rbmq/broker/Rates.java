package io.rocketbufs.rbmq.broker;

import java.util.Map;

/**
 * Average rates over a window of time, per second. All numbers are null while no window has passed.
 *
 * @param inBytes bytes from publishers
 * @param outBytes bytes to subscribers
 * @param inTransfers transfers from publishers
 * @param outTransfers transfers to subscribers
 */
record Rates(Double inBytes, Double outBytes, Double inTransfers, Double outTransfers) {
    private static final Rates UNKNOWN = new Rates(null, null, null, null);
    private static final double SECOND_NS = 1e9;

    /**
     * Returns the rates between two readings.
     *
     * @param before the earlier reading; null for none, {@link Traffic#NONE} when the object did not exist yet
     * @param windowNs time between them, in nanoseconds
     */
    static Rates between(Traffic before, Traffic now, long windowNs) {
        if (before == null) {
            return UNKNOWN;
        }
        Traffic change = now.minus(before);
        double seconds = windowNs / SECOND_NS;
        return new Rates(
                change.receivedLength() / seconds,
                change.sentLength() / seconds,
                change.receivedCount() / seconds,
                change.sentCount() / seconds);
    }

    /** Returns the bytes per second in both directions; 0 while they are not known. */
    double bytes() {
        return in() + out();
    }

    double in() {
        return inBytes == null ? 0 : inBytes;
    }

    double out() {
        return outBytes == null ? 0 : outBytes;
    }

    /** Adds the rates to a JSON object. */
    void addTo(Map<String, Object> object) {
        object.put("inBytesPerSecond", rounded(inBytes));
        object.put("outBytesPerSecond", rounded(outBytes));
        object.put("inTransfersPerSecond", rounded(inTransfers));
        object.put("outTransfersPerSecond", rounded(outTransfers));
    }

    private static Long rounded(Double number) {
        return number == null ? null : Math.round(number);
    }
}
