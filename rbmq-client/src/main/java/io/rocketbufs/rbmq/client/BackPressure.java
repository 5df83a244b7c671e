package io.rocketbufs.rbmq.client;

import java.util.concurrent.Executor;

/**
 * The notices to the application that a topic has begun to refuse messages for lack of space, and that there is space
 * again. They run on the worker, one at a time, and alternate, beginning with true. After each refusal, a notice of
 * false follows, so a program that was refused can wait for it.
 *
 * <pre>
 *         begin               tell: true           end                tell: false
 *   OFF --------&gt; BEGINNING -------------&gt; ON ------------&gt; ENDING --------------&gt; OFF
 *                  |     ^                  ^                 |
 *              end |     | begin            +---- begin ------+
 *                  v     |
 *                 FLASHED -------------------------------------------------------&gt; OFF
 *                                    tell: true, then false
 * </pre>
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BackPressure {
    private final Executor worker;
    private final Listener listener;
    private final Runnable tell = this::tell;
    private State state = State.OFF;
    private boolean scheduled;

    private enum State {
        OFF,
        BEGINNING,
        FLASHED,
        ON,
        ENDING
    }

    /** The receiver of the notices. */
    @FunctionalInterface
    interface Listener {
        /** Called on the worker when back-pressure has begun or ended. */
        void onBackPressure(boolean on);
    }

    BackPressure(Executor worker, Listener listener) {
        this.worker = worker;
        this.listener = listener;
    }

    /** Returns true from {@link #begin} to {@link #end}. */
    synchronized boolean isOn() {
        return state == State.BEGINNING || state == State.ON;
    }

    /** Called when a message was refused for lack of space. */
    synchronized void begin() {
        switch (state) {
            case OFF -> schedule(State.BEGINNING);
            case FLASHED -> state = State.BEGINNING;
            case ENDING -> state = State.ON;
            default -> {}
        }
    }

    /** Called when there is space again, or the topic has ended. */
    synchronized void end() {
        switch (state) {
            case BEGINNING -> state = State.FLASHED;
            case ON -> schedule(State.ENDING);
            default -> {}
        }
    }

    /** Changes the state and lets the worker report it; a task that is already scheduled does both. */
    private void schedule(State next) {
        state = next;
        if (!scheduled) {
            scheduled = true;
            worker.execute(tell);
        }
    }

    private void tell() {
        switch (take()) {
            case BEGINNING -> listener.onBackPressure(true);
            case FLASHED -> {
                listener.onBackPressure(true);
                listener.onBackPressure(false);
            }
            case ENDING -> listener.onBackPressure(false);
            default -> {}
        }
    }

    /** Returns the state to report, and proceeds to the next one. */
    private synchronized State take() {
        scheduled = false;
        State due = state;
        state = isOn() ? State.ON : State.OFF;
        return due;
    }
}
