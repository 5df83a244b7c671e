package io.rocketbufs.rbmq.client;

import java.util.concurrent.Executor;

/**
 * The notifications that a topic has started to refuse messages for lack of space, and that it has space again. The
 * worker delivers them to the application, one at a time. They alternate, starting with true. Every refusal is followed
 * by a notification with false, so the application can wait for it.
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

    /** The receiver of the notifications. */
    @FunctionalInterface
    interface Listener {
        /** Called on the worker when back-pressure starts (true) or ends (false). */
        void onBackPressure(boolean on);
    }

    BackPressure(Executor worker, Listener listener) {
        this.worker = worker;
        this.listener = listener;
    }

    /** Returns true between {@link #begin} and {@link #end}. */
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

    /** Changes the state and schedules the worker's report, unless a report is already scheduled. */
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

    /** Returns the state to report, and advances to the next one. */
    private synchronized State take() {
        scheduled = false;
        State due = state;
        state = isOn() ? State.ON : State.OFF;
        return due;
    }
}
