package io.rocketbufs.out;

import java.util.function.BooleanSupplier;

/**
 * The origin of buffers that are filled through a tap.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class TapOrigin implements Origin {
    private final Tap tap;
    private final Fanout fanout;
    private final BooleanSupplier isHeldUp;

    /**
     * @param isHeldUp returns true while no subscription to the filled buffers accepts the data that the tap could read
     */
    public TapOrigin(Tap tap, BooleanSupplier isHeldUp) {
        this.tap = tap;
        this.fanout = tap.fanout();
        this.isHeldUp = isHeldUp;
    }

    @Override
    public long capacity() {
        return fanout.memory().capacity() - fanout.owner().keep(fanout.options());
    }

    @Override
    public boolean isWaiting() {
        return fanout.owner().isWaiting();
    }

    @Override
    public long waitCount() {
        return fanout.owner().waitCount();
    }

    @Override
    public long released() {
        return tap.nextPosition();
    }

    @Override
    public boolean isHeldUp() {
        return tap.isInTheWay() && isHeldUp.getAsBoolean();
    }

    @Override
    public void addDelayTask(Runnable task) {
        tap.addDelayTask(task);
    }

    @Override
    public void removeDelayTask(Runnable task) {
        tap.removeDelayTask(task);
    }
}
