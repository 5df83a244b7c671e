package io.rocketbufs.rbmq.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The buffers of one connection that have ended even though their publishers are not known to have left. The broker may
 * still report that a publisher has left. Otherwise, the connection is closing, and the next connection continues with
 * these buffers.
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
     * @param subscriptions the subscriptions for which the broker may still report that the publisher has left
     */
    private record Ended(Reached.Place place, Set<Subscription> subscriptions) {}

    /** Creates an empty set that reports the departures of publishers to a callback. */
    EndedBuffers(SubscriberCallback callback) {
        this.callback = callback;
    }

    /** Adds a buffer, with the place up to which it was read and the subscriptions that read it. */
    void add(int bufferId, Reached.Place place, Collection<Subscription> subscriptions) {
        ended.put(bufferId, new Ended(place, new HashSet<>(subscriptions)));
    }

    /**
     * Called when the broker reports that the publisher of a buffer has left.
     *
     * @param failure the reason why the publisher left; null if it closed gracefully
     */
    void onRemoved(int bufferId, String failure) {
        Ended early = ended.remove(bufferId);
        if (early != null) {
            early.place().reportEnd(callback, failure);
        }
    }

    /** Reports the departures of publishers that the broker will not report because a subscription has ended. */
    void reportWithout(Subscription subscription) {
        ended.values().forEach(each -> each.subscriptions().remove(subscription));
        List<Ended> unawaited = ended.values().stream()
                .filter(each -> each.subscriptions().isEmpty())
                .toList();
        ended.values().removeAll(unawaited);
        unawaited.forEach(each -> each.place().reportEnd(callback, null));
    }

    /** Moves the places to the collection from which the next connection continues. */
    void moveTo(Reached reached) {
        ended.forEach((bufferId, each) -> reached.put(bufferId, each.place()));
        ended.clear();
    }
}
