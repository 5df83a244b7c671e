package io.rocketbufs.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The places held in fanouts for one connection, each for a limited time.
 *
 * <p><b>Thread-safety:</b> worker only.
 */
final class HeldPlaces {
    /** By fanout: there is one for each topic that a new publisher brings. */
    private final Map<Fanout, List<Held>> places = new HashMap<>();

    /** One of them. */
    private static final class Held {
        private final Expected expected;
        private long leftMs;

        private Held(Expected expected, long leftMs) {
            this.expected = expected;
            this.leftMs = leftMs;
        }
    }

    void add(Fanout fanout, Expected expected, long timeoutMs) {
        places.computeIfAbsent(fanout, none -> new ArrayList<>(1)).add(new Held(expected, timeoutMs));
    }

    /** The connection has subscribed, which takes its places there. */
    void taken(Fanout fanout) {
        places.remove(fanout);
    }

    /** Gives up those whose time is over; who comes later is told what it missed. */
    void tick(long elapsedMs) {
        places.forEach((fanout, held) -> {
            for (Held place : held) {
                tick(fanout, place, elapsedMs);
            }
            held.removeIf(place -> !fanout.knows(place.expected));
        });
        places.values().removeIf(List::isEmpty);
    }

    private static void tick(Fanout fanout, Held place, long elapsedMs) {
        boolean wasHeld = place.leftMs > 0;
        place.leftMs -= elapsedMs;
        if (wasHeld && place.leftMs <= 0) {
            fanout.giveUp(place.expected, false);
        }
    }

    /** The connection is over. */
    void giveUpAll() {
        places.forEach((fanout, held) -> held.forEach(place -> fanout.giveUp(place.expected, true)));
        places.clear();
    }
}
