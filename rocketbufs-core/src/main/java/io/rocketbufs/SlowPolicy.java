package io.rocketbufs;

/** What happens when one subscriber is so slow that a buffer runs out of space. */
public enum SlowPolicy {
    /** The slowest holds the producer back. One that consumes nothing for a limited time (30 s) is disconnected. */
    BLOCK(io.rocketbufs.delivery.SlowPolicy.BLOCK),
    /** Whoever lags further than the limit in bytes, or consumes nothing for the limited time, is disconnected. */
    DISCONNECT(io.rocketbufs.delivery.SlowPolicy.DISCONNECT),
    /** Whoever lags goes on at the newest boundary, and its gap callback tells what was left out. */
    SKIP(io.rocketbufs.delivery.SlowPolicy.SKIP);

    private final io.rocketbufs.delivery.SlowPolicy core;

    SlowPolicy(io.rocketbufs.delivery.SlowPolicy core) {
        this.core = core;
    }

    static SlowPolicy of(io.rocketbufs.delivery.SlowPolicy core) {
        return switch (core) {
            case BLOCK -> BLOCK;
            case DISCONNECT -> DISCONNECT;
            case SKIP -> SKIP;
        };
    }

    io.rocketbufs.delivery.SlowPolicy core() {
        return core;
    }
}
