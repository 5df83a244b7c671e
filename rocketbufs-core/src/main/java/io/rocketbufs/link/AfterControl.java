package io.rocketbufs.link;

/**
 * A task that invokes a callback once the transport has accepted the control messages that were queued before the task.
 * The {@link Sender} serves tasks only while no control message is waiting.
 *
 * <p><b>Thread-safety:</b> as documented in {@link SendTask}.
 */
final class AfterControl extends SendTask {
    private final Runnable callback;

    /**
     * Creates a task.
     *
     * @param callback called once, on any sending thread; must do no more than hand work to a worker
     */
    AfterControl(Runnable callback) {
        this.callback = callback;
    }

    @Override
    protected Outcome take(int requests) {
        callback.run();
        return Outcome.IDLE;
    }

    @Override
    protected boolean hasWork() {
        return false;
    }
}
