package io.rocketbufs.in;

/**
 * The terms on which a sender has accepted a subscription.
 *
 * @param overwriting true if the sender's writes do not wait for credit
 * @param lossy true if the sender does not wait for this subscription, and may skip data instead
 * @param startPosition position in the sender's buffer at which the subscription begins
 * @param livePosition position at which the data in the sender's buffer ended when the sender accepted the
 *     subscription; at least the start position
 */
public record InputTerms(boolean overwriting, boolean lossy, long startPosition, long livePosition) {
    /** The terms assumed until the sender has accepted the subscription. */
    static final InputTerms UNKNOWN = new InputTerms(false, false, -1, -1);
}
