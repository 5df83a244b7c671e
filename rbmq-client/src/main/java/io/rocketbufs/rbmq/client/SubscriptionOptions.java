package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import java.util.Objects;

/**
 * The options of one subscription.
 *
 * @param slowPolicy policy that the broker applies when the subscription is slow; null selects the policy in the
 *     client's settings
 * @param gapHandler called when messages of this subscription were skipped
 */
public record SubscriptionOptions(SlowPolicy slowPolicy, GapHandler gapHandler) {
    /** The policy in the client's settings, and no gap handler. */
    public static final SubscriptionOptions DEFAULTS =
            new SubscriptionOptions(null, (topic, publisher, lostLength) -> {});

    /** Checks the options. */
    public SubscriptionOptions {
        Objects.requireNonNull(gapHandler, "gapHandler");
    }

    /** Returns a copy with the given policy; null selects the policy in the client's settings. */
    public SubscriptionOptions withSlowPolicy(SlowPolicy policy) {
        return new SubscriptionOptions(policy, gapHandler);
    }

    /** Returns a copy with the given gap handler. */
    public SubscriptionOptions withGapHandler(GapHandler handler) {
        return new SubscriptionOptions(slowPolicy, handler);
    }
}
