package io.rocketbufs.out;

import io.rocketbufs.options.Start;

/** A producing side that never waits, and ignores every event whose method a test does not override. */
interface StubFanoutOwner extends FanoutOwner {
    @Override
    default void onReleased(long released) {}

    @Override
    default boolean isNotified() {
        return false;
    }

    @Override
    default void onJoined(long begun) {}

    @Override
    default long awaited() {
        return 0;
    }

    @Override
    default long longestCoalesced(Start start) {
        return 0;
    }

    @Override
    default boolean overwrites() {
        return false;
    }

    @Override
    default void onDrained() {}
}
