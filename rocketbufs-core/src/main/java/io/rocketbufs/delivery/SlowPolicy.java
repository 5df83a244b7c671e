package io.rocketbufs.delivery;

/** What happens when one subscription is so slow that its buffer runs out of space. The codes travel in SUBSCRIBE. */
public enum SlowPolicy {
    /** The slowest holds the producer back; one that consumes nothing for a limited time is disconnected. */
    BLOCK(1),
    /** Whoever lags too far is disconnected. */
    DISCONNECT(2),
    /** Whoever lags goes on at the newest boundary and is told what was left out. */
    SKIP(3);

    private final int code;

    SlowPolicy(int code) {
        this.code = code;
    }

    /** The code on the wire; 0 stands for no wish. */
    public int code() {
        return code;
    }

    /** The policy of a code, {@code whenNone} for 0, null for an unknown one. */
    static SlowPolicy of(int code, SlowPolicy whenNone) {
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
