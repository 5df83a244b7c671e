package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.TopicFilter;

/**
 * The treatment of a topic's buffers, as defined by a rule of {@code rbmq.topics}, by the default for all other topics,
 * or for inboxes.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class TopicRule {
    /** The rule's filter; null if no rule applies. */
    private final TopicFilter filter;

    private final boolean isInbox;
    private final BufferSettings settings;
    private final boolean keepsLast;
    private final BufferOptions options;

    private TopicRule(TopicFilter filter, boolean isInbox, BufferSettings settings, boolean keepsLast) {
        this.filter = filter;
        this.isInbox = isInbox;
        this.settings = settings;
        this.keepsLast = keepsLast && !isInbox;
        BufferSettings.Slow slow = settings.slow();
        this.options = BufferOptions.DEFAULTS
                .withSlowPolicy(slow.policy())
                .withLagLimits(slow.lagLimit(), slow.lagTimeoutMs())
                .withStallTimeout(slow.stallTimeoutMs())
                .withKeep(isInbox ? 0 : settings.keep());
    }

    /** Returns the treatment of the topics that match the filter of a rule. */
    static TopicRule of(TopicSettings rule) {
        return new TopicRule(rule.match(), false, rule.buffers(), rule.buffers().keepsLast());
    }

    /** Returns the treatment of topics to which no rule applies. */
    static TopicRule ofOthers(BufferSettings settings) {
        return new TopicRule(null, false, settings, settings.keepsLast());
    }

    /** Returns the treatment of inboxes. No data of an inbox is kept, because it ends with its connection. */
    static TopicRule ofInboxes(BufferSettings settings) {
        return new TopicRule(null, true, settings, false);
    }

    /** Returns a copy of this rule that keeps the last message; returns the rule of inboxes unchanged. */
    TopicRule keepingLast() {
        return keepsLast ? this : new TopicRule(filter, isInbox, settings, true);
    }

    boolean matches(String topic) {
        return filter.matches(topic);
    }

    /** Returns the filter of the rule in {@code rbmq.topics}; null if no rule applies. */
    String filter() {
        return filter == null ? null : filter.toString();
    }

    boolean isInbox() {
        return isInbox;
    }

    /** Returns true if the last message of a topic is kept even after its publisher has left. */
    boolean keepsLast() {
        return keepsLast;
    }

    /**
     * Returns the options of the broker's output buffers, without those that keep the last message. Resuming is
     * deliberately disabled: clients choose the identity in their requests, so a client could otherwise take over
     * another user's subscription.
     */
    BufferOptions options() {
        return options;
    }

    /**
     * Returns the options of the broker's buffer for a publisher's buffer. To keep the last message, the broker keeps
     * as many bytes as the capacity of the publisher's buffer, because no transfer is longer.
     */
    BufferOptions options(long publishersCapacity) {
        return keepsLast && publishersCapacity > options.keep() ? options.withKeep(publishersCapacity) : options;
    }

    /** Returns the options of the buffers of a group's members, in which no data is skipped or kept. */
    BufferOptions memberOptions() {
        return options.withKeep(0).withSlowPolicy(slowPolicy() == SlowPolicy.SKIP ? SlowPolicy.BLOCK : slowPolicy());
    }

    /**
     * Returns for how many milliseconds a group member may consume nothing while the publisher waits for the group.
     * Returns 0 (no limit) if publishers do not wait.
     */
    long memberTimeoutMs() {
        BufferSettings.Slow slow = settings.slow();
        return switch (slow.policy()) {
            case BLOCK -> slow.stallTimeoutMs();
            case DISCONNECT -> Math.min(slow.lagTimeoutMs(), slow.stallTimeoutMs());
            case SKIP -> 0;
        };
    }

    /** Returns the policy for slow subscribers that do not request one. */
    SlowPolicy slowPolicy() {
        return settings.slow().policy();
    }

    /**
     * Returns the maximum time in milliseconds for which a subscriber may delay a publisher in one episode; 0 for no
     * limit.
     */
    long blockTimeoutMs() {
        return settings.slow().blockTimeoutMs();
    }

    /** Returns a description of a key's value for a refusal, including where the value can be changed. */
    String describe(String key, Object value) {
        String setting = key + "=" + value;
        return filter == null ? "rbmq.broker." + setting : setting + " of the rule \"" + filter + "\" in rbmq.topics";
    }

    /** Returns the maximum capacity of a publisher's buffer. */
    long maxCapacity() {
        return settings.maxCapacity();
    }

    long joinTimeoutMs() {
        return settings.joinTimeoutMs();
    }

    long drainTimeoutMs() {
        return settings.drainTimeoutMs();
    }

    /**
     * Returns the capacity of the broker's buffer for a publisher's buffer, chosen so that the longest message fits. A
     * reply buffer is only as large as the publisher's, because there is one for each pair of responder and requester.
     *
     * @param publishersCapacity at most {@link #maxCapacity()}
     * @throws IllegalArgumentException when the publisher's capacity is not positive
     */
    long capacityFor(long publishersCapacity) {
        if (publishersCapacity < 1) {
            throw new IllegalArgumentException("capacity=" + publishersCapacity + " is not positive");
        }
        return isInbox ? publishersCapacity : Math.max(publishersCapacity, settings.capacity());
    }
}
