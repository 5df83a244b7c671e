package io.rocketbufs;

import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;

/**
 * The callback invoked when a peer's subscription delays the producer of a buffer or misses data. Runs on the worker of
 * the peer's connection; must not block.
 */
@FunctionalInterface
public interface SlowCallback {
    /**
     * Called when the producer has waited for 200 ms because the memory that it needs contains data that has not been
     * sent to this subscriber. After that, called about ten times per second, and one last time when the producer has
     * not waited for 1 s or the subscription has ended. {@link SlowState#phase()} distinguishes these calls. In a
     * buffer with {@link io.rocketbufs.options.BufferOptions#resume()}, the producer also needs the data to be
     * consumed. A subscriber that lags behind without making a producer wait is not reported.
     *
     * <p>A wait is detected when the connection's clock ticks, at least every 500 ms. A producer in another process
     * reports its wait equally often, and the report is processed immediately. The first call therefore comes up to 0.7
     * s after the wait has begun. This includes a buffer that is filled from a splice: see {@link ROut#setOrigin}. The
     * waits of a producer whose version does not report them are not detected. A refused reservation counts as a wait
     * until the memory for it is free, even if the producer no longer wants the memory. An exception thrown by this
     * method closes the connection.
     *
     * @param bufferId id of the output buffer or splice whose producer waits, or of a buffer that is filled from it:
     *     see {@link ROut#setOrigin}
     * @param connection the connection of the subscriber
     */
    void onSlow(int bufferId, Connection connection, SlowState state);

    /**
     * Called when a subscription begins to miss data, and when nothing has been skipped for 1 s or the subscription has
     * ended. Data is skipped under {@link io.rocketbufs.options.SlowPolicy#SKIP}, or if the buffer is overwritten. It
     * is also skipped if the buffer no longer contains the position at which the subscription begins, or if the sender
     * of a spliced buffer has skipped it. The first call is made when the connection's clock ticks, up to 500 ms later.
     * An exception thrown by this method closes the connection.
     *
     * @param connection the connection of the subscriber
     */
    default void onLoss(int bufferId, Connection connection, LossState state) {}
}
