package io.rocketbufs.options;

/** The policy for a subscriber that is so slow that a buffer runs out of space. */
public enum SlowPolicy {
    /**
     * The slowest subscriber holds the producer back. One that consumes nothing for a limited time (30 s) is
     * disconnected.
     */
    BLOCK(1),
    /**
     * A subscriber that lags by more than the limits in time or bytes, or consumes nothing for a limited time, is
     * disconnected.
     */
    DISCONNECT(2),
    /** A subscriber that lags continues at the newest boundary, and its gap callback reports what was left out. */
    SKIP(3);

    private final int code;

    SlowPolicy(int code) {
        this.code = code;
    }

    /** Returns the code in a SUBSCRIBE message, where 0 stands for no preference. */
    public int code() {
        return code;
    }

    /** Returns the policy of a code, {@code whenNone} for 0, null for an unknown code. */
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
