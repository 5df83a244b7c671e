package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;

/**
 * The position at which a subscription begins.
 *
 * <pre>
 *   buffer position = log position + bytes lost upstream before it
 *
 *        start                        position
 *   -------|------------- gap -----------|---- data that is sent ----&gt;
 * </pre>
 *
 * <p>The position at which an earlier subscription stopped may lie inside a record of the log. A record can contain
 * several deliveries, as can an arriving transfer that a splice passes on, and the log does not store where they end.
 * The subscription therefore begins exactly at the requested position, which is the end of a delivery, like every
 * position that a subscriber can have reached. Beginning at the start of the record would repeat deliveries, and
 * beginning at its end would lose some.
 *
 * <p>Other subscribers must not depend on a position that this peer claims, so they use {@code boundary}, which is
 * known to be the end of a delivery. If the record is kept, {@code boundary} is the start of the record, because
 * repeating deliveries is better than losing some.
 *
 * @param start buffer position that is reported to the peer; the data between it and {@code position} is reported as a
 *     gap
 * @param position log position of the first byte that is sent
 * @param boundary log position known to lie between two deliveries: the last such position at or before
 *     {@code position} if all data from that position on is kept, otherwise, the first such position after
 *     {@code position}
 * @param live buffer position at which the newest delivery ends; at least {@code start}
 */
record Beginning(long start, long position, long boundary, long live) {
    /**
     * Determines the beginning of a subscription. Called under the fanout's lock, after the subscription has been
     * published, so that no data after this beginning is released before the subscription has begun.
     *
     * @param consumed log position up to which the peer has consumed data through an earlier subscription that this one
     *     supersedes; -1 if there is no such subscription
     * @param newest the data that the buffer keeps for later subscriptions
     * @param endPosition log position at which the buffer ended; {@link Long#MAX_VALUE} if it has not ended
     */
    static Beginning of(
            SubscriptionTerms terms,
            long consumed,
            Link link,
            Expected[] expected,
            DeliveryLog log,
            Kept newest,
            long endPosition) {
        Start asked = terms.start();
        long end = Math.min(log.visibleEnd(), endPosition);
        long keptStart = Long.MAX_VALUE;
        long kept = Long.MAX_VALUE;
        long boundaryForAnyone = Long.MAX_VALUE;
        long floor = newest.floor(end);
        long held = floor;
        for (Expected each : expected) {
            held = Math.min(held, each.held());
            boundaryForAnyone = Math.min(boundaryForAnyone, each.boundary());
            if (each.isOf(link)) {
                keptStart = Math.min(keptStart, each.start());
                kept = Math.min(kept, each.boundary());
            }
        }
        // Bytes that were lost after the newest delivery are reported together with the next delivery.
        long liveEnd = end == 0 ? 0 : end + log.gapsBefore(end - 1, 0);
        if (asked.equals(Start.LIVE)) {
            // After data has been skipped, an incorrect report can exceed the end of the log.
            long live = consumed < 0 ? end : after(Math.min(end, consumed), boundaryForAnyone, log);
            return withoutPosition(keptStart, Math.min(kept, live), liveEnd, log);
        }
        if (asked.equals(Start.LAST)) {
            long last = end > held ? log.boundaryBefore(end - 1) : end;
            return withoutPosition(Long.MAX_VALUE, last < held ? end : last, liveEnd, log);
        }
        // A position beyond the end has already been refused. Memory beyond the end is never sent.
        long position = asked.isPosition() ? Math.min(log.positionOf(asked.code()), end) : -1;
        if (position >= held) {
            long boundary = position == end ? end : near(position, held, log);
            return new Beginning(asked.code(), position, boundary, Math.max(asked.code(), liveEnd));
        }
        long oldest = Math.min(end, Math.min(boundaryForAnyone, log.boundaryFrom(floor)));
        return asked.isPosition()
                ? new Beginning(asked.code(), oldest, oldest, Math.max(asked.code(), liveEnd))
                : withoutPosition(keptStart, oldest, liveEnd, log);
    }

    /**
     * Returns the last boundary at or before a position or, if that boundary lies before {@code held}, the next
     * boundary.
     */
    private static long near(long position, long held, DeliveryLog log) {
        long before = log.boundaryBefore(position);
        return before >= held ? before : log.boundaryFrom(position);
    }

    /** Returns the reason why a subscription to a buffer cannot begin at the requested start; null if it can. */
    static String refusalOf(Start asked, int bufferId, BufferOptions options, DeliveryLog log, long end) {
        if (!asked.isPosition()) {
            return null;
        }
        if (options.discardable()) {
            return "buffer " + bufferId + " is discardable, and discarded deliveries are missing from a subscriber's"
                    + " position: start=" + asked.code()
                    + " cannot be found; use Start.LIVE, Start.OLDEST or Start.LAST";
        }
        long endPosition = end + log.gapsBefore(end, 0);
        return asked.code() <= endPosition
                ? null
                : "start=" + asked.code() + " lies beyond the end of buffer " + bufferId + " at " + endPosition
                        + ": the position belongs to another buffer, or the buffer has been created again";
    }

    private static Beginning withoutPosition(long expectedStart, long position, long liveEnd, DeliveryLog log) {
        long start = Math.min(expectedStart, position + log.gapsBefore(position, 0));
        return new Beginning(start, position, position, Math.max(start, liveEnd));
    }

    /**
     * Returns the last known boundary up to which a subscriber has consumed everything.
     *
     * @param followed boundary up to which all subscribers have consumed everything
     */
    private static long after(long consumed, long followed, DeliveryLog log) {
        // The record's start may no longer be kept if the record has grown since its data was consumed.
        return Math.max(log.boundaryBefore(consumed), Math.min(followed, consumed));
    }
}
