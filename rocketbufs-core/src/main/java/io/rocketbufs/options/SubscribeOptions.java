package io.rocketbufs.options;

/**
 * What a subscriber asks for: {@link #DEFAULTS} with changes.
 *
 * @param transferLimit most bytes in a transfer of several deliveries; a quarter of the capacity and 256 KiB limit it
 *     in any case
 * @param slowPolicy what happens when this subscriber is slow; null leaves the choice to the sender
 * @param flowControl true or false demands it and otherwise fails; null accepts what the sender has
 */
public record SubscribeOptions(int transferLimit, SlowPolicy slowPolicy, Boolean flowControl) {
    /** No demands. */
    public static final SubscribeOptions DEFAULTS = new SubscribeOptions(256 * 1024, null, null);

    /** Checks the limit. */
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
