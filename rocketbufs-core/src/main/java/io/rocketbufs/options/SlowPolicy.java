package io.rocketbufs.options;

/** The policy for a subscriber that is slower than the producer. */
public enum SlowPolicy {
    /**
     * The producer waits for the slowest subscriber. A subscriber that consumes nothing for the stall timeout (30 s by
     * default) while data is waiting for it is disconnected.
     */
    BLOCK(1),
    /**
     * A subscriber is disconnected when a delivery has waited to be sent to it for the lag timeout (1 s by default), or
     * when more bytes wait than the lag limit allows (no limit by default). It is also disconnected when it has
     * consumed nothing for the stall timeout (30 s by default). These limits are checked four times in each heartbeat
     * interval, regardless of whether the producer is waiting. A delivery waits for at most about twice the lag timeout
     * before the subscriber is disconnected.
     */
    DISCONNECT(2),
    /**
     * A subscriber that falls behind continues at the newest delivery boundary, and its gap callback reports the number
     * of bytes that it skipped.
     */
    SKIP(3);

    private final int code;

    SlowPolicy(int code) {
        this.code = code;
    }

    /** Returns this policy's code in a SUBSCRIBE message, where 0 means no preference. */
    public int code() {
        return code;
    }

    /** Returns the policy with the given code, {@code whenNone} for 0, or null for an unknown code. */
    public static SlowPolicy of(int code, SlowPolicy whenNone) {
        if (code == 0) {
            return whenNone;
        }
        for (SlowPolicy policy : values()) {
            if (policy.code == code) {
                return policy;
            }
        }
        return null;
    }
}
