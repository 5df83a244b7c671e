package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;

/**
 * The deliveries into a buffer that the application fills: appends them to the log, and announces them to the readers.
 * One announcement can follow several deliveries.
 *
 * <p><b>Thread-safety:</b> the buffer's producing thread; any thread may discard and read the count.
 */
public final class Deliveries {
    private final DeliveryLog log;
    private final Fanout fanout;
    /** Null when there is no data-out callback. */
    private final DataOutReports reports;
    /** True when a delivery that has not been announced yet has no reader. */
    private boolean hasUnwanted;
    /** Number of deliveries that were appended since the last announcement. */
    private int unannouncedCount;
    /** The burst detection depends on announcements, because several deliveries that arrive together are no burst. */
    private long announcementCount;
    /**
     * Number of deliveries that shared an announcement with an earlier one. For metrics only; a reader may see older
     * values. A volatile store here would cost as much as the rest of a delivery.
     */
    private long sharingCount;

    Deliveries(DeliveryLog log, Fanout fanout, DataOutReports reports) {
        this.log = log;
        this.fanout = fanout;
        this.reports = reports;
    }

    /** Returns the number of deliveries; it may be out of date. */
    long count() {
        return announcementCount + sharingCount;
    }

    /** Returns the number of the newest delivery, for {@link #discard}; -1 before the first one. */
    public long last() {
        return log.nextRecord() - 1;
    }

    /** Appends a delivery and announces it; returns its number. */
    long add(long position, long length, long lowestOpen, Object context) {
        boolean unwanted = appendOnly(position, length, lowestOpen, context);
        long number = last();
        announce(unwanted);
        return number;
    }

    /** Appends a delivery; {@link #announce()} must follow. */
    void append(long position, long length, long lowestOpen, Object context) {
        hasUnwanted |= appendOnly(position, length, lowestOpen, context);
        unannouncedCount++;
    }

    /** Announces the deliveries that were appended since the last announcement. */
    void announce() {
        boolean unwanted = hasUnwanted;
        hasUnwanted = false;
        sharingCount += unannouncedCount - 1;
        unannouncedCount = 0;
        announce(unwanted);
    }

    /** Appends a delivery; returns true when it has no reader. */
    private boolean appendOnly(long position, long length, long lowestOpen, Object context) {
        boolean unwanted = fanout.isUnwanted();
        long mergeLimit = fanout.options().coalescing() ? fanout.mergeLimit() : 0;
        log.append(position, length, Math.min(position, lowestOpen), mergeLimit, context);
        if (unwanted && log.separate()) {
            log.markUnwanted();
        }
        return unwanted;
    }

    private void announce(boolean unwanted) {
        fanout.announceFromProducer(++announcementCount);
        if (unwanted && reports != null) {
            reports.announce(Runnable::run);
        }
    }

    /**
     * Discards a delivery for every subscription that has not begun to send it.
     *
     * @return false when it is too late to discard the delivery or the number is unknown
     */
    public boolean discard(long number) {
        // A subscription that begins with kept data lowers the released position.
        boolean reported = reports != null && number < reports.reported();
        boolean discarded = !reported && log.discard(number, fanout.minReleased());
        if (discarded) {
            fanout.look();
        }
        return discarded;
    }
}
