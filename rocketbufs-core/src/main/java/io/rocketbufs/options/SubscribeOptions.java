package io.rocketbufs.options;

import java.util.Objects;

/**
 * The options of a subscription. Start with {@link #DEFAULTS} and change individual options with the {@code with…}
 * methods.
 *
 * @param transferLimit maximum number of bytes in a transfer that combines several deliveries; never more than a
 *     quarter of the capacity, and never more than 256 KiB
 * @param slowPolicy the policy that applies when this subscriber is slow; null leaves the choice to the sender
 * @param flowControl true requires flow control, false requires its absence; null accepts either
 * @param start where in the buffer's data the subscription begins
 * @param keep number of bytes that stay intact after they have been consumed, so that a splice of this buffer can keep
 *     them for its later subscribers. They need memory in addition to the capacity; the sender receives no credit for
 *     this memory
 * @param identity the subscriber's identity, by which a buffer that {@linkplain BufferOptions#withResume resumes}
 *     recognizes the subscriber on a later connection; 0 for none
 */
public record SubscribeOptions(
        int transferLimit, SlowPolicy slowPolicy, Boolean flowControl, Start start, long keep, long identity) {
    /** The default options: the sender determines the policy and flow control; data begins with the next delivery. */
    public static final SubscribeOptions DEFAULTS = new SubscribeOptions(256 * 1024, null, null, Start.LIVE, 0, 0);

    /** Validates the values. */
    public SubscribeOptions {
        Objects.requireNonNull(start, "start");
        if (transferLimit < 1) {
            throw new IllegalArgumentException("transferLimit=" + transferLimit + " must be positive");
        }
        if (keep < 0) {
            throw new IllegalArgumentException("keep=" + keep + " must not be negative");
        }
    }

    /** Returns a copy with the given limit. */
    public SubscribeOptions withTransferLimit(int limit) {
        return new SubscribeOptions(limit, slowPolicy, flowControl, start, keep, identity);
    }

    /** Returns a copy with the given policy. */
    public SubscribeOptions withSlowPolicy(SlowPolicy policy) {
        return new SubscribeOptions(transferLimit, policy, flowControl, start, keep, identity);
    }

    /** Returns a copy that requires flow control, requires its absence, or accepts either (null). */
    public SubscribeOptions withFlowControl(Boolean demanded) {
        return new SubscribeOptions(transferLimit, slowPolicy, demanded, start, keep, identity);
    }

    /** Returns a copy with the given start. */
    public SubscribeOptions withStart(Start place) {
        return new SubscribeOptions(transferLimit, slowPolicy, flowControl, place, keep, identity);
    }

    /**
     * Returns a copy whose buffer keeps {@code length} consumed bytes for a splice: see {@link BufferOptions#withKeep}.
     */
    public SubscribeOptions withKeep(long length) {
        return new SubscribeOptions(transferLimit, slowPolicy, flowControl, start, length, identity);
    }

    /**
     * Returns a copy with the given identity. A subscriber that reconnects uses the same identity as before. If the
     * sender has not detected the loss of the subscriber's previous connection yet, the new subscription
     * <em>supersedes</em> the previous one. The new subscription begins at the position that it requests or, with
     * {@link Start#LIVE}, with the first delivery that the previous one had not reported as consumed.
     *
     * <p>Choose a random number (such as {@code SecureRandom.nextLong()}) for each logical subscriber of a buffer, and
     * store the number together with the subscriber's position if the subscriber must outlive its process. A peer that
     * uses another subscriber's identity ends that subscriber's subscription. Only buffers that
     * {@linkplain BufferOptions#withResume resume} use the identity.
     */
    public SubscribeOptions withIdentity(long number) {
        return new SubscribeOptions(transferLimit, slowPolicy, flowControl, start, keep, number);
    }
}
