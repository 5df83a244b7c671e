package io.rocketbufs.delivery;

/**
 * What a subscriber asks for.
 *
 * @param capacity bytes of its own buffer
 * @param transferLimit longest transfer of several deliveries that it wants
 * @param policy what shall happen when it is slow; null leaves that to the sender
 * @param flowControl true or false demands it, null takes what the sender has
 */
public record SubscriptionWishes(long capacity, int transferLimit, SlowPolicy policy, Boolean flowControl) {
    /** Checks the numbers. */
    public SubscriptionWishes {
        if (capacity < 1 || transferLimit < 1) {
            throw new IllegalArgumentException("capacity=" + capacity + " transferLimit=" + transferLimit);
        }
    }

    int demandCode() {
        return flowControl == null ? 0 : flowControl ? 1 : 2;
    }
}
