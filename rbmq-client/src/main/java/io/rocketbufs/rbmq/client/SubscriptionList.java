package io.rocketbufs.rbmq.client;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/**
 * The subscriptions of one subscriber by number, and the sums of their counters. The sums include subscriptions that
 * have ended.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SubscriptionList {
    private final Map<Integer, Subscription> byNumber = new LinkedHashMap<>();
    private final Overlaps overlaps = new Overlaps();
    /** Removed subscriptions whose handlers may still be called. */
    private final Set<Subscription> ending = new HashSet<>();
    /** The counters of the subscriptions that have ended. */
    private final SubscriptionCounts ended = new SubscriptionCounts();

    private int lastNumber;
    private boolean closed;

    /**
     * Adds the subscription that a function creates for the next number.
     *
     * @throws IllegalStateException after {@link #close()}, or when another subscription can match the same topic and
     *     the new one cannot share its messages
     */
    synchronized Subscription add(IntFunction<Subscription> create) {
        if (closed) {
            throw new IllegalStateException("this subscriber is closed");
        }
        Subscription subscription = create.apply(lastNumber + 1);
        overlaps.check(subscription);
        lastNumber++;
        byNumber.put(lastNumber, subscription);
        overlaps.add(subscription);
        return subscription;
    }

    /** Returns true if there is an earlier, open subscription to the same topic. */
    synchronized boolean hasEarlier(Subscription subscription) {
        return overlaps.hasEarlier(subscription);
    }

    /** Returns the subscription with a number; null if there is none or it has been removed. */
    synchronized Subscription get(int number) {
        return byNumber.get(number);
    }

    /** Returns the subscriptions that have not been removed, in the order in which they were added. */
    synchronized List<Subscription> all() {
        return List.copyOf(byNumber.values());
    }

    /** Removes a subscription that the broker has ended or does not recognize. The sums still include its counters. */
    void remove(Subscription subscription) {
        synchronized (this) {
            if (byNumber.remove(subscription.number()) == null) {
                return;
            }
            overlaps.remove(subscription);
            ending.add(subscription);
        }
        // An executor may call the handler, and count, until then.
        subscription.closed().whenComplete((ok, failure) -> addToEnded(subscription));
    }

    private synchronized void addToEnded(Subscription subscription) {
        ending.remove(subscription);
        ended.add(subscription.counts());
    }

    /** Returns the sum of a counter over all subscriptions that have ever been added. */
    synchronized long sum(ToLongFunction<SubscriptionCounts> counter) {
        long sum = counter.applyAsLong(ended);
        for (Subscription subscription : byNumber.values()) {
            sum += counter.applyAsLong(subscription.counts());
        }
        for (Subscription subscription : ending) {
            sum += counter.applyAsLong(subscription.counts());
        }
        return sum;
    }

    /** Stops accepting subscriptions; returns false if this object was already closed. */
    synchronized boolean close() {
        boolean isFirst = !closed;
        closed = true;
        return isFirst;
    }

    /** Returns true after {@link #close()}. */
    synchronized boolean isClosed() {
        return closed;
    }
}
