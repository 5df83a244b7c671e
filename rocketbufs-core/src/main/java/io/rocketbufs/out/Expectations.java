package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The expected subscriptions of one buffer, for which data is kept.
 *
 * <p><b>Thread-safety:</b> changed under the {@link Fanout}'s lock; any thread may read.
 */
final class Expectations {
    private volatile Expected[] all = {};

    /** Returns the current set, which is never modified. */
    Expected[] all() {
        return all;
    }

    /** Returns true while data is kept. */
    boolean areKeeping() {
        for (Expected each : all) {
            if (each.isKeeping()) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if deliveries must not be merged, because a subscription with an unknown limit is expected. */
    boolean limitMerging() {
        for (Expected each : all) {
            if (each.limitsMerging()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the lowest position from which data is kept; {@code least} if that is lower. */
    long lowest(long least) {
        long lowest = least;
        for (Expected each : all) {
            lowest = Math.min(lowest, each.position());
        }
        return lowest;
    }

    /** Returns the lowest position up to which data is known to be consumed; {@code least} if that is lower. */
    long lowestConsumed(long least) {
        long lowest = least;
        for (Expected each : all) {
            lowest = Math.min(lowest, each.consumed());
        }
        return lowest;
    }

    /** Called before the removal of a subscription that has consumed the data before a log position. */
    void left(long consumed) {
        for (Expected each : all) {
            each.left(consumed);
        }
    }

    boolean contains(Expected one) {
        return Arrays.asList(all).contains(one);
    }

    /** Returns true if a connection is expected, either specifically or because any connection is expected. */
    boolean include(Link link) {
        for (Expected each : all) {
            if (each.isOf(link)) {
                return true;
            }
        }
        return false;
    }

    void add(Expected one) {
        Expected[] more = Arrays.copyOf(all, all.length + 1);
        more[all.length] = one;
        all = more;
    }

    void remove(Expected one) {
        keep(each -> each != one);
    }

    /** Called when a connection has subscribed. Removes its expectations, except permanent ones. */
    void joined(Link link) {
        keep(each -> !each.isOf(link) || each.isPermanent());
    }

    /**
     * Called when the buffer ends. Only expectations of a particular connection remain; the data kept for all other
     * expectations is lost.
     *
     * @return the lowest position from which data was kept for the removed expectations; {@link Long#MAX_VALUE} if none
     *     was kept
     */
    long end(DeliveryLog log) {
        long unclaimed = Long.MAX_VALUE;
        for (Expected each : all) {
            if (!each.isOfOneConnection() && each.isKeeping()) {
                unclaimed = Math.min(unclaimed, each.position());
                log.markLost(each.position());
            }
            if (!each.isOfOneConnection()) {
                each.keepNothing();
            }
        }
        keep(Expected::isOfOneConnection);
        return unclaimed;
    }

    private void keep(Predicate<Expected> which) {
        if (all.length > 0) { // usually there are none, although each subscription that joins calls this method
            all = Arrays.stream(all).filter(which).toArray(Expected[]::new);
        }
    }
}
