package io.rocketbufs;

import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;

/**
 * The callback invoked when a peer's subscription delays the producer of a buffer, or misses data. Runs on the worker
 * of the peer's connection; must not block.
 */
@FunctionalInterface
public interface SlowCallback {
    /**
     * Called when the producer has waited for 200 ms because the memory that it needs contains data that has not been
     * sent to this subscriber, then about ten times per second, and when the producer has not waited for 1 s or the
     * subscription has ended. In a buffer with {@link io.rocketbufs.options.BufferOptions#resume()}, the data must also
     * have been consumed. {@link SlowState#phase()} distinguishes these calls. A subscriber that is behind, but that no
     * producer waits for, is not reported.
     *
     * <p>A wait is noticed when the connection's clock ticks, at least every 500 ms. A producer in another process
     * reports its wait as often, and the report is noticed immediately. The first call therefore comes up to 0.7 s
     * after the wait has begun, or up to 1.2 s in a buffer that is filled from a splice: see {@link ROut#setOrigin}.
     * Waits of a producer whose version does not report them are not noticed. A refused reservation counts as a wait
     * until its memory is free, even if the producer no longer wants it. An exception closes the connection.
     *
     * @param bufferId the buffer whose producer waits, an output buffer or a splice; or a buffer that is filled from
     *     it: see {@link ROut#setOrigin}
     * @param connection the connection of the subscriber
     */
    void onSlow(int bufferId, Connection connection, SlowState state);

    /**
     * Called when a subscription begins to miss data, and when nothing has been skipped for 1 s or the subscription has
     * ended. Data is skipped because of {@link io.rocketbufs.options.SlowPolicy#SKIP}, because the buffer is
     * overwritten or no longer contains the place where the subscription begins, or because the sender of a spliced
     * buffer has skipped it. The first call comes at a tick, up to 500 ms later. An exception closes the connection.
     *
     * @param connection the connection of the subscriber
     */
    default void onLoss(int bufferId, Connection connection, LossState state) {}
}
