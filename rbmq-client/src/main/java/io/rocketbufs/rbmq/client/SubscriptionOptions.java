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
 * @param queueCapacity maximum total length in bytes of the messages that may wait for the executor, at least 1. At
 *     this limit, the subscription accepts no further messages. Each message counts as its length with headers plus 64
 *     bytes
 * @param start position at which the subscription starts
 * @param group name of the group whose subscriptions to the same filter share the messages; null for no group
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

    /** Validates the options. */
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
     * Returns a copy whose handlers run on the given executor and may block. Messages are copied into a queue. The
     * handlers of one subscription are called one at a time, in the order in which the messages arrived. When 1 MiB of
     * messages, including their headers, is waiting, the subscription accepts no further messages until there is space;
     * {@link #withQueueCapacity} sets another limit. After {@link Subscription#pause()}, the messages in the queue are
     * still handled.
     *
     * <p>Each subscription has at most one task in the executor. The task runs for about a millisecond, or for a single
     * call of a handler that takes longer, and then resubmits itself. If the executor rejects the task, for example
     * because the executor was shut down, the subscription ends. The messages in the queue are lost, and
     * {@link Subscription#closed()} fails with the reason, which is also reported to
     * {@link SubscriberCallback#onError}. This happens even under BLOCK, so a pool must be able to queue the task when
     * all its threads are busy.
     *
     * <p>An executor that runs a task in the caller, such as {@code CallerRunsPolicy}, runs the handlers on the
     * connection's worker, where they must not block. If an executor drops a task without an exception, as
     * {@code ExecutorService.shutdownNow} does, the subscription stops without an error until it is closed.
     */
    public SubscriptionOptions withExecutor(Executor newExecutor) {
        Objects.requireNonNull(newExecutor, "executor");
        return new SubscriptionOptions(slowPolicy, gapHandler, newExecutor, queueCapacity, start, group);
    }

    /**
     * Returns a copy with the given queue capacity in bytes; has no effect without an executor. A longer message still
     * fits into an empty queue.
     *
     * @throws IllegalArgumentException when the capacity is less than 1
     */
    public SubscriptionOptions withQueueCapacity(long capacity) {
        return new SubscriptionOptions(slowPolicy, gapHandler, executor, capacity, start, group);
    }

    /**
     * Returns a copy that starts at the given position in the messages of each publisher.
     * {@link Subscription#caughtUp()} completes when all messages that are older than the subscription have been handed
     * over.
     *
     * <p>The start applies once. After a lost connection, the subscription continues where it stopped. It applies the
     * start again only if it was not live before the loss, or if the client reaches another broker or a restarted one.
     * Some messages may then be received twice.
     *
     * <p>The subscriptions of one Subscriber that match the same topic share the buffers in which its messages arrive,
     * and messages that have already arrived cannot be received again. Therefore, a subscription with a start other
     * than {@link SubscriptionStart#LIVE} must be the first of them: {@code subscribe} throws an IllegalStateException
     * if an open subscription can match the same topic. Later subscriptions can start with LIVE. They start after the
     * older messages, and wait until these have been handed over.
     */
    public SubscriptionOptions withStart(SubscriptionStart place) {
        return new SubscriptionOptions(slowPolicy, gapHandler, executor, queueCapacity, place, group);
    }

    /**
     * Returns a copy that belongs to a group. All subscriptions with the same filter and group, of any client of the
     * broker, share the messages: each message goes to the member with the fewest unconsumed messages. Subscriptions
     * without a group, and those with another group or filter, receive the message as well.
     *
     * <p>The messages that one member of the group receives from one publisher are in order; there is no order between
     * members. A member holds few unconsumed messages at a time ({@code rbmq.broker.group-batch}). When a member leaves
     * or is lost, its unconsumed messages go to another member, where {@link Message#isRedelivered()} returns true. A
     * message counts as consumed when its handler has returned or, with an executor, when it is in the queue.
     *
     * <p>A group starts with live messages, and the topic's policy applies to the group as a whole. A group therefore
     * cannot be combined with {@link #withSlowPolicy} or {@link #withStart}, and {@code rbmq.client.slow-policy} does
     * not apply to it. A member that reconnects joins again and reports no gap, because other members have received the
     * messages in the meantime.
     *
     * @param name the group's name, which follows the rules for topic names; null for no group
     * @throws IllegalArgumentException when the name is invalid, or this object has a policy or a start other than
     *     {@link SubscriptionStart#LIVE}
     */
    public SubscriptionOptions withGroup(String name) {
        return new SubscriptionOptions(slowPolicy, gapHandler, executor, queueCapacity, start, name);
    }
}
