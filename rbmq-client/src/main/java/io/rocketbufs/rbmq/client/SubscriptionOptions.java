package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.GroupLayout;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * The options of one subscription.
 *
 * @param slowPolicy policy that the broker applies when the subscription is slow; null selects the policy in the
 *     client's settings
 * @param gapHandler called when this subscription has missed messages
 * @param executor runs the handlers; null runs them on the connection's worker
 * @param queueCapacity maximum number of message bytes that may wait for the executor, at least 1; at this limit, the
 *     subscription accepts no more. Each message counts as its length with headers plus 64 bytes
 * @param start where the subscription begins
 * @param group name of the group whose subscriptions to the same filter share the messages; null for none
 */
public record SubscriptionOptions(
        SlowPolicy slowPolicy,
        GapHandler gapHandler,
        Executor executor,
        long queueCapacity,
        SubscriptionStart start,
        String group) {
    private static final long DEFAULT_QUEUE_CAPACITY = 1 << 20;

    /** The policy in the client's settings, no gap handler, no executor, and live messages only. */
    public static final SubscriptionOptions DEFAULTS =
            new SubscriptionOptions(null, gap -> {}, null, DEFAULT_QUEUE_CAPACITY, SubscriptionStart.LIVE, null);

    /** Checks the options. */
    public SubscriptionOptions {
        Objects.requireNonNull(gapHandler, "gapHandler");
        Objects.requireNonNull(start, "start");
        if (queueCapacity < 1) {
            throw new IllegalArgumentException("queueCapacity=" + queueCapacity + ": must be at least 1");
        }
        if (group != null) {
            GroupLayout.checkName(group);
            if (start.isOlder() || slowPolicy != null) {
                throw new IllegalArgumentException("group=\"" + group + "\" start=" + start + " slowPolicy="
                        + slowPolicy + ": a group begins with live messages, under the policy of the topic");
            }
        }
    }

    /** Returns a copy with the given policy; null selects the policy in the client's settings. */
    public SubscriptionOptions withSlowPolicy(SlowPolicy policy) {
        return new SubscriptionOptions(policy, gapHandler, executor, queueCapacity, start, group);
    }

    /** Returns a copy with the given gap handler. */
    public SubscriptionOptions withGapHandler(GapHandler handler) {
        return new SubscriptionOptions(slowPolicy, handler, executor, queueCapacity, start, group);
    }

    /**
     * Returns a copy whose handlers run on the given executor and may block. The messages are copied into a queue. The
     * handlers of one subscription are called one at a time, in the order in which the messages arrived. When messages
     * of 1 MiB wait, including their headers, the subscription takes no more messages until there is space;
     * {@link #withQueueCapacity} sets another limit. After {@link Subscription#pause()}, the messages in the queue are
     * still handled.
     *
     * <p>There is at most one task for each subscription, which runs for about a millisecond, or for one call of a
     * handler that takes longer, and then passes itself to the executor again. If the executor rejects the task, for
     * example because it was shut down, the subscription ends: the messages in the queue are lost, and
     * {@link Subscription#closed()} fails with the reason, which is also reported to
     * {@link SubscriberCallback#onError}. This happens even under BLOCK, so a pool must have space for the task when
     * all its threads are busy. An executor that runs a task in the caller, such as {@code CallerRunsPolicy}, runs the
     * handlers on the connection's worker, where they must not block. One that drops a task without an exception, as
     * {@code ExecutorService.shutdownNow} does, stops the subscription without an error until it is closed.
     */
    public SubscriptionOptions withExecutor(Executor newExecutor) {
        Objects.requireNonNull(newExecutor, "executor");
        return new SubscriptionOptions(slowPolicy, gapHandler, newExecutor, queueCapacity, start, group);
    }

    /**
     * Returns a copy with the given capacity of the queue in bytes; has no effect without an executor. A message that
     * is longer still fits into an empty queue.
     *
     * @throws IllegalArgumentException when the capacity is less than 1
     */
    public SubscriptionOptions withQueueCapacity(long capacity) {
        return new SubscriptionOptions(slowPolicy, gapHandler, executor, capacity, start, group);
    }

    /**
     * Returns a copy that begins at the given place in the messages of each publisher. {@link Subscription#caughtUp()}
     * completes when all messages have been handed over that are older than the subscription.
     *
     * <p>The start applies once. After a lost connection, the subscription continues where it was. It starts again from
     * the beginning only if it was not live before the loss, or if the client reaches another broker or a restarted
     * one: then some messages may be received twice.
     *
     * <p>The subscriptions of one Subscriber that match the same topic share the buffers in which its messages arrive,
     * and messages that have arrived before cannot be received again. Therefore, one with a start other than
     * {@link SubscriptionStart#LIVE} must be the first of them: {@code subscribe} throws an IllegalStateException if a
     * subscription that is not closed can match the same topic. Later ones with LIVE are possible; they begin after the
     * older messages, and wait until these have been handed over.
     */
    public SubscriptionOptions withStart(SubscriptionStart place) {
        return new SubscriptionOptions(slowPolicy, gapHandler, executor, queueCapacity, place, group);
    }

    /**
     * Returns a copy that belongs to a group. All subscriptions with the same filter and group, of any client of the
     * broker, share the messages: each message goes to one of them, the one that has the fewest to do. Subscriptions
     * without a group, and those of other groups and filters, receive it as well.
     *
     * <p>The messages that one member of the group receives from one publisher are in order; there is no order between
     * members. A member holds few unconsumed messages at a time ({@code rbmq.broker.group-batch}). Messages that a
     * member has not consumed when it leaves or is lost go to another one, where {@link Message#isRedelivered()}
     * returns true. A message counts as consumed when its handler has returned, or with an executor, when it is in its
     * queue.
     *
     * <p>A group begins with live messages, and the topic's policy applies to the group as a whole.
     * {@link #withSlowPolicy} and {@link #withStart} can therefore not be combined with it.
     * {@code rbmq.client.slow-policy} does not apply. A member that reconnects joins again and is told of no gap,
     * because others have received the messages in the meantime.
     *
     * @param name the group's name, which is valid if it is valid as the name of a topic; null for none
     * @throws IllegalArgumentException when the name is invalid, or this object has a start or a policy
     */
    public SubscriptionOptions withGroup(String name) {
        return new SubscriptionOptions(slowPolicy, gapHandler, executor, queueCapacity, start, name);
    }
}
