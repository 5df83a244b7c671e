package io.rocketbufs.options;

/** The policy for a subscriber that is slower than the producer. */
public enum SlowPolicy {
    /**
     * The slowest subscriber holds the producer back. One that consumes nothing for a limited time (30 s) while data
     * waits for it is disconnected.
     */
    BLOCK(1),
    /**
     * A subscriber is disconnected when a delivery waits to be sent to it for the lag timeout (1 s), when more bytes
     * wait than the lag limit allows (no limit by default), or when it consumes nothing for a limited time (30 s). This
     * is measured four times in each heartbeat interval, and does not depend on whether the producer waits. A delivery
     * waits for at most about twice the lag timeout.
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
