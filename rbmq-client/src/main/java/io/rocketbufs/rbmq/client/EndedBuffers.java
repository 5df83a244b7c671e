package io.rocketbufs.rbmq.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The buffers of one connection that have ended although their publishers are not known to have left. The broker may
 * still report that. Otherwise, the connection is closing, and another one continues there.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class EndedBuffers {
    private final SubscriberCallback callback;
    /** The buffers by the broker's id. */
    private final Map<Integer, Ended> ended = new HashMap<>();

    /**
     * A buffer that has ended.
     *
     * @param subscriptions those for which the broker may still report that the publisher has left
     */
    private record Ended(Reached.Place place, Set<Subscription> subscriptions) {}

    /** Creates an empty set that reports the ends of publishers to a callback. */
    EndedBuffers(SubscriberCallback callback) {
        this.callback = callback;
    }

    /** Adds a buffer, with the place that was reached in it and the subscriptions that read it. */
    void add(int bufferId, Reached.Place place, Collection<Subscription> subscriptions) {
        ended.put(bufferId, new Ended(place, new HashSet<>(subscriptions)));
    }

    /**
     * Called when the broker reports that the publisher of a buffer has left.
     *
     * @param failure null if the publisher closed gracefully
     */
    void onRemoved(int bufferId, String failure) {
        Ended early = ended.remove(bufferId);
        if (early != null) {
            early.place().reportEnd(callback, failure);
        }
    }

    /** Reports the ends of the publishers about which the broker reports nothing more when a subscription ends. */
    void reportWithout(Subscription subscription) {
        ended.values().forEach(each -> each.subscriptions().remove(subscription));
        List<Ended> unawaited = ended.values().stream()
                .filter(each -> each.subscriptions().isEmpty())
                .toList();
        ended.values().removeAll(unawaited);
        unawaited.forEach(each -> each.place().reportEnd(callback, null));
    }

    /** Moves the places to those at which another connection continues. */
    void moveTo(Reached reached) {
        ended.forEach((bufferId, each) -> reached.put(bufferId, each.place()));
        ended.clear();
    }
}
