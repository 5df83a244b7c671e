package io.rocketbufs.options;

/**
 * The options of a subscription. Start with {@link #DEFAULTS} and change individual options with the {@code with…}
 * methods.
 *
 * @param transferLimit maximum number of bytes in a transfer that combines several deliveries; never more than a
 *     quarter of the capacity, and never more than 256 KiB
 * @param slowPolicy the policy that applies when this subscriber is slow; null leaves the choice to the sender
 * @param flowControl true requires flow control, false requires its absence; null accepts either
 */
public record SubscribeOptions(int transferLimit, SlowPolicy slowPolicy, Boolean flowControl) {
    /** The default options, which leave the policy and flow control to the sender. */
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

    /** Returns a copy that requires flow control, requires its absence, or accepts either (null). */
    public SubscribeOptions withFlowControl(Boolean demanded) {
        return new SubscribeOptions(transferLimit, slowPolicy, demanded);
    }
}
