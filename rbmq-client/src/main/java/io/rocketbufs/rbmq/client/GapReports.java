package io.rocketbufs.rbmq.client;

/**
 * Reports missing messages and failed handlers to the affected subscriptions, to the callback, and to the log.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class GapReports {
    private final SubscriberCallback callback;
    private final MissedLog missed;

    GapReports(SubscriberCallback callback, MissedLog missed) {
        this.callback = callback;
        this.missed = missed;
    }

    /** Reports a gap at a position in the data that has arrived, unless its length is 0. */
    void gapAt(PublisherBuffer buffer, long position, long lost) {
        if (lost > 0) {
            gap(buffer, buffer.gapAt(position, lost));
        }
    }

    /** Reports messages that have arrived but will not be read, because the connection has ended permanently. */
    void abandoned(PublisherBuffer buffer, long length) {
        if (length > 0) {
            gap(buffer, buffer.gap(length, Gap.Reason.DISCONNECTED));
        }
    }

    /** Reports a gap to the subscriptions that receive the next message. */
    void gap(PublisherBuffer buffer, Gap gap) {
        if (gap.isKnown()) {
            buffer.lost(gap.lostLength());
        }
        boolean isReported = false;
        for (Subscription subscription : buffer.receiving()) {
            // A subscription that was not live before the connection was lost has missed only messages that are skipped
            // later.
            if (gap.isOfThisConnection() || subscription.request().isContinued()) {
                isReported |= !subscription.isLeft();
                subscription.miss(gap);
            }
        }
        if (isReported) {
            missed.add(gap);
            callback.onGap(gap);
        }
    }

    /**
     * Reports to a subscription that the older messages of a buffer had already been read when the subscription was
     * added.
     */
    void missedHistory(PublisherBuffer buffer, Subscription added) {
        Gap gap = buffer.gap(Gap.UNKNOWN, Gap.Reason.RECONNECTED);
        added.miss(gap);
        callback.onGap(gap);
    }

    /** Reports an exception thrown by a handler. */
    void handlerFailure(Subscription subscription, String topic, int publisher, Throwable failure) {
        subscription.counts().failed();
        callback.onError(topic, publisher, failure);
    }
}
