package io.rocketbufs.options;

/**
 * The options of a subscription: {@link #DEFAULTS} with changes.
 *
 * @param transferLimit maximum number of bytes in a transfer that combines several deliveries; never more than a
 *     quarter of the capacity, and never more than 256 KiB
 * @param slowPolicy the policy that applies when this subscriber is slow; null leaves the choice to the sender
 * @param flowControl true requires flow control, false requires its absence; null accepts either
 */
public record SubscribeOptions(int transferLimit, SlowPolicy slowPolicy, Boolean flowControl) {
    /** The default options, which demand nothing. */
    public static final SubscribeOptions DEFAULTS = new SubscribeOptions(256 * 1024, null, null);

    /** Validates the transfer limit. */
    public SubscribeOptions {
        if (transferLimit < 1) {
            throw new IllegalArgumentException("transferLimit=" + transferLimit + " must be positive");
        }
    }

    /** Returns a copy with the given limit. */
    public SubscribeOptions withTransferLimit(int limit) {
        return new SubscribeOptions(limit, slowPolicy, flowControl);
    }

    /** Returns a copy with the given policy. */
    public SubscribeOptions withSlowPolicy(SlowPolicy policy) {
        return new SubscribeOptions(transferLimit, policy, flowControl);
    }

    /** Returns a copy that demands flow control on or off. */
    public SubscribeOptions withFlowControl(Boolean demanded) {
        return new SubscribeOptions(transferLimit, slowPolicy, demanded);
    }
}
