package io.rocketbufs.delivery;

import java.util.ArrayList;
import java.util.List;

/**
 * The places held in fanouts for one connection, each for a limited time.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class HeldPlaces {
    private final List<Held> places = new ArrayList<>();

    /** One of them. */
    private static final class Held {
        private final Fanout fanout;
        private final Expected expected;
        private long leftMs;

        private Held(Fanout fanout, Expected expected, long leftMs) {
            this.fanout = fanout;
            this.expected = expected;
            this.leftMs = leftMs;
        }
    }

    void add(Fanout fanout, Expected expected, long timeoutMs) {
        places.add(new Held(fanout, expected, timeoutMs));
    }

    /** The connection has subscribed, which takes its places there. */
    void taken(Fanout fanout) {
        places.removeIf(place -> place.fanout == fanout);
    }

    /** Gives up those whose time is over; who comes later is told what it missed. */
    void tick(long elapsedMs) {
        for (Held place : places) {
            boolean wasHeld = place.leftMs > 0;
            place.leftMs -= elapsedMs;
            if (wasHeld && place.leftMs <= 0) {
                place.fanout.giveUp(place.expected, false);
            }
        }
        places.removeIf(place -> !place.fanout.knows(place.expected));
    }

    /** The connection is over. */
    void giveUpAll() {
        for (Held place : places) {
            place.fanout.giveUp(place.expected, true);
        }
        places.clear();
    }
}
