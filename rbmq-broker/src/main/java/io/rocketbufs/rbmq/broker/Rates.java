package io.rocketbufs.rbmq.broker;

import java.util.Map;

/**
 * Average rates per second over a time window. All values are null until a full window has passed.
 *
 * @param inBytes bytes received from publishers
 * @param outBytes bytes sent to subscribers
 * @param inTransfers transfers received from publishers
 * @param outTransfers transfers sent to subscribers
 */
record Rates(Double inBytes, Double outBytes, Double inTransfers, Double outTransfers) {
    private static final Rates UNKNOWN = new Rates(null, null, null, null);
    private static final double SECOND_NS = 1e9;

    /**
     * Returns the rates between two readings.
     *
     * @param before the earlier reading; null if there is none, {@link Traffic#NONE} if the object did not exist yet
     * @param windowNs time between the readings, in nanoseconds
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

    /** Returns the bytes per second in both directions; 0 while the rates are unknown. */
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
