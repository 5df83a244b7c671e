package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.RefusalCounts.Reason;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The limits of a broker: on the topics, subscriptions and buffers of each client, on the topics and subscriptions
 * across all clients, on connections, and on the memory of the process. When a limit is reached, existing topics,
 * subscriptions and connections continue; only new ones are refused. Each refusal is counted.
 *
 * <p><b>Thread-safety:</b> any thread. Not for the data path.
 */
final class BrokerLimits {
    private static final String MIB = " MiB";
    private static final String TOPICS_PER_CONNECTION = "rbmq.limits.topics-per-connection=";
    private static final String TOPICS_PER_FILTER = "rbmq.broker.topics-per-filter=";

    private final Supplier<BrokerSettings.Limits> limits;
    private final ProcessMemory memory;
    private final RefusalCounts refusals;
    private final AtomicInteger connectionCount = new AtomicInteger();
    private final AtomicInteger topicCount = new AtomicInteger();
    private final AtomicInteger subscriptionCount = new AtomicInteger();

    /** @param limits supplies the current limits */
    BrokerLimits(Supplier<BrokerSettings.Limits> limits, ProcessMemory memory, RefusalCounts refusals) {
        this.limits = limits;
        this.memory = memory;
        this.refusals = refusals;
    }

    /**
     * Counts a client's connection until the connection ends.
     *
     * @param closed completes when the connection has ended
     * @throws TransportException with code RESOURCES when the maximum number of connections is reached
     */
    void enterConnection(CompletableFuture<Void> closed) {
        int limit = limits.get().connections();
        if (!enter(connectionCount, limit)) {
            refusals.count(Reason.CONNECTIONS);
            throw new TransportException(
                    TransportException.Code.RESOURCES,
                    "the broker has as many connections as rbmq.limits.connections=" + limit
                            + " allows; try again when one has ended, or raise the limit");
        }
        closed.whenComplete((nothing, failure) -> connectionCount.decrementAndGet());
    }

    /**
     * Counts a publisher's topic until {@link #leaveTopic} is called.
     *
     * @param ownCount current number of the publisher's topics
     * @throws IllegalArgumentException when the maximum number of topics is reached, or the process uses too much
     *     memory
     */
    void enterTopic(String topic, int ownCount) {
        checkOwn(topic, ownCount);
        checkMemory("topic \"" + topic + "\"");
        int limit = limits.get().topics();
        if (!enter(topicCount, limit)) {
            refusals.count(Reason.TOPICS);
            throw new IllegalArgumentException("topic \"" + topic + "\" exceeds rbmq.limits.topics=" + limit
                    + ", the limit across all publishers; close topics that are no longer needed, or raise the"
                    + " limit");
        }
    }

    /**
     * Checks that a publisher may send replies to another inbox. Inboxes are counted separately.
     *
     * @param ownCount current number of the publisher's inboxes
     * @throws IllegalArgumentException when the maximum number of inboxes is reached, or the process uses too much
     *     memory
     */
    void checkInbox(String inbox, int ownCount) {
        checkOwn(inbox, ownCount);
        checkMemory("inbox \"" + InboxName.shown(inbox) + "\"");
    }

    private void checkOwn(String topic, int ownCount) {
        int limit = limits.get().topicsPerConnection();
        if (ownCount >= limit) {
            refusals.count(Reason.TOPICS);
            throw new IllegalArgumentException(
                    "topic \"" + InboxName.shown(topic) + "\" exceeds " + TOPICS_PER_CONNECTION + limit
                            + "; close topics that are no longer needed, use several connections, or raise the limit");
        }
    }

    /**
     * Checks that a publisher's buffer is not too large.
     *
     * @param rule the rule for the buffer's topic
     * @param capacity capacity of the publisher's buffer in bytes
     * @throws IllegalArgumentException when the rule does not allow this capacity
     */
    void checkCapacity(TopicRule rule, long capacity) {
        if (capacity > rule.maxCapacity()) {
            refusals.count(Reason.MAX_CAPACITY);
            throw new IllegalArgumentException(
                    "capacity=" + capacity + " exceeds " + rule.describe("max-capacity", rule.maxCapacity()));
        }
    }

    /** Called when a counted topic has ended. */
    void leaveTopic() {
        topicCount.decrementAndGet();
    }

    /**
     * Counts a subscription to a topic or filter until {@link #leaveSubscriptions} is called.
     *
     * @param number the number that the subscriber assigned to the subscription
     * @param ownCount current number of the subscriber's subscriptions
     * @throws IllegalArgumentException when the maximum number of subscriptions is reached, or the process uses too
     *     much memory
     */
    void enterSubscription(int number, TopicFilter filter, int ownCount) {
        String what = "subscription " + number + " to \"" + filter + "\"";
        int ownLimit = limits.get().subscriptionsPerConnection();
        if (ownCount >= ownLimit) {
            refusals.count(Reason.SUBSCRIPTIONS);
            throw new IllegalArgumentException(what + " exceeds rbmq.limits.subscriptions-per-connection=" + ownLimit
                    + "; use filters or several connections, or raise the limit");
        }
        checkMemory(what);
        int limit = limits.get().subscriptions();
        if (!enter(subscriptionCount, limit)) {
            refusals.count(Reason.SUBSCRIPTIONS);
            throw new IllegalArgumentException(what + " exceeds rbmq.limits.subscriptions=" + limit
                    + ", the limit across all subscribers; use filters, or raise the limit");
        }
    }

    /** Called when counted subscriptions have ended. */
    void leaveSubscriptions(int count) {
        subscriptionCount.addAndGet(-count);
    }

    /**
     * Checks that a new subscription to a filter does not match too many topics.
     *
     * @param count number of topics that match the filter
     * @param otherCount number of topics that match the other filters of the subscriber
     * @throws IllegalArgumentException when these are too many topics for a filter or for a connection
     */
    void checkMatches(TopicFilter filter, int count, int otherCount) {
        BrokerSettings.Limits now = limits.get();
        if (count > now.topicsPerFilter()) {
            refusals.count(Reason.TOPICS_PER_FILTER);
            throw new IllegalArgumentException("filter \"" + filter + "\" matches " + count + " topics, more than "
                    + TOPICS_PER_FILTER + now.topicsPerFilter() + "; use a narrower filter, or raise the limit");
        }
        if (count > now.topicsPerConnection() - otherCount) {
            refusals.count(Reason.TOPICS);
            throw new IllegalArgumentException("filter \"" + filter + "\" matches " + count
                    + " topics, and the other filters of the connection " + otherCount + ", more than "
                    + TOPICS_PER_CONNECTION + now.topicsPerConnection()
                    + "; use narrower filters or several connections, or raise the limit");
        }
    }

    /**
     * Returns the limit, with its key, that another topic of a filter would exceed, and counts the refusal; null if the
     * topic exceeds no limit.
     *
     * @param count current number of topics of the filter
     */
    String exceededByTopicOfFilter(int count) {
        return exceeded(
                Reason.TOPICS_PER_FILTER, count, TOPICS_PER_FILTER, limits.get().topicsPerFilter());
    }

    /**
     * Returns the limit that another topic of a subscriber's filters would exceed, like
     * {@link #exceededByTopicOfFilter}.
     *
     * @param count current number of topics across all filters
     */
    String exceededByTopicOfFilters(int count) {
        return exceeded(
                Reason.TOPICS, count, TOPICS_PER_CONNECTION, limits.get().topicsPerConnection());
    }

    /**
     * Returns the limit that another buffer of a member of groups would exceed, like {@link #exceededByTopicOfFilter}.
     *
     * @param count current number of buffers that the subscriber reads as a member of groups
     */
    String exceededByShare(int count) {
        return exceeded(
                Reason.SHARES_PER_CONNECTION,
                count,
                "rbmq.limits.shares-per-connection=",
                limits.get().sharesPerConnection());
    }

    private String exceeded(Reason reason, int count, String key, int limit) {
        if (count < limit) {
            return null;
        }
        refusals.count(reason);
        return key + limit;
    }

    /**
     * Checks that the process may use more memory.
     *
     * @param what the topic or subscription that needs the memory, for the error message
     * @throws IllegalArgumentException when the process already uses more memory than allowed
     */
    private void checkMemory(String what) {
        long limit = limits.get().memory();
        long used = memory.used();
        if (used > limit) {
            refusals.count(Reason.MEMORY);
            throw new IllegalArgumentException(what + " is refused because the broker uses " + (used >> 20) + MIB
                    + " of memory, more than rbmq.limits.memory=" + (limit >> 20) + MIB
                    + "; close topics that are no longer needed, use smaller buffers, or raise the limit");
        }
    }

    /** Returns the maximum number of topics of one connection. */
    int topicsPerConnection() {
        return limits.get().topicsPerConnection();
    }

    private static boolean enter(AtomicInteger count, int limit) {
        int before = count.getAndUpdate(now -> now < limit ? now + 1 : now);
        return before < limit;
    }
}
