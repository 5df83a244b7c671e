package io.rocketbufs.out;

import io.rocketbufs.options.BufferOptions;

/**
 * The length limits for the records into which deliveries to one buffer are merged, and for the transfers that combine
 * these deliveries.
 *
 * @param coalesce the sending side's limit for transfers that combine several deliveries, in bytes
 * @param least lowest limit at which the available records suffice for a full buffer
 * @param keeps true if data is kept for later subscriptions: deliveries are then merged only into short records, so
 *     that later subscriptions find a boundary at which to begin
 */
record MergeLimits(long coalesce, long least, boolean keeps) {
    /** Longest transfer that combines several deliveries. Longer transfers would bring no gain and would add delay. */
    private static final int MAX_COALESCED_LENGTH = 256 * 1024;

    private static final long MAX_RECORDS = 1 << 20;

    /**
     * Returns the maximum number of records of a buffer that the application fills. If deliveries are merged, this
     * number suffices for the lowest merge limit that a subscriber can impose.
     *
     * @param separate true if deliveries are not merged
     */
    static int recordCount(BufferOptions options, boolean separate, long memoryLength) {
        return separate || !options.coalescing()
                ? options.recordCount()
                : (int) Math.max(options.recordCount(), Math.min(MAX_RECORDS, memoryLength / 64));
    }

    /** Returns the limits of a buffer with the given memory length and maximum number of records. */
    static MergeLimits of(long memoryLength, int recordCount, boolean keeps) {
        long coalesce = Math.max(1, Math.min(MAX_COALESCED_LENGTH, memoryLength / 4));
        return new MergeLimits(coalesce, 2 * memoryLength / recordCount + 1, keeps);
    }

    /** Returns the limit that applies while there are no readers. No record of merged deliveries is ever longer. */
    long highest() {
        return keeps ? Math.min(coalesce, least) : coalesce;
    }

    /**
     * Returns the limit that lets every subscription coalesce within its own limit.
     *
     * @param readers the subscriptions
     * @param expecting true while data is kept for a subscription whose limit is not known
     */
    long with(Reader[] readers, boolean expecting) {
        long limit = expecting ? 0 : highest();
        for (Reader reader : readers) { // no stream, because each subscription that joins or leaves calls this
            limit = Math.min(limit, reader.coalesceLimit());
        }
        return limit;
    }
}
