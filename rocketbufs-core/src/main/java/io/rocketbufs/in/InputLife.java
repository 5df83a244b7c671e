package io.rocketbufs.in;

import java.util.concurrent.CompletableFuture;

/**
 * The states of one input buffer's subscription, and the terms that the sender has accepted:
 *
 * <pre>
 *                          +--------UNSUBSCRIBE sent----------+
 *                          |                                  v
 *   ASKED --SUBSCRIBED--&gt; AGREED --END--&gt; REPORTING ------&gt; LEAVING --UNSUBSCRIBED--&gt; QUIET
 *     |                      |                |               |                        ^
 *     +--- refused, or the connection is lost +---------------+------------------------+
 * </pre>
 *
 * In REPORTING, the last report of consumption waits to be sent. UNSUBSCRIBE follows it, even if the application
 * unsubscribes earlier.
 *
 * <p><b>Thread-safety:</b> the worker changes the state, except that any thread may call {@link #becomesQuiet()}. Any
 * thread may read the state.
 */
final class InputLife {
    private enum Stage {
        ASKED,
        AGREED,
        REPORTING,
        LEAVING,
        QUIET
    }

    private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    private final CompletableFuture<Void> unsubscribed = new CompletableFuture<>();
    private volatile Stage stage = Stage.ASKED;
    private volatile InputTerms terms = InputTerms.UNKNOWN;

    /** Returns the future that completes when the sender has accepted the subscription. */
    CompletableFuture<Void> subscribed() {
        return subscribed;
    }

    /** Returns the future that completes when no more data can arrive. */
    CompletableFuture<Void> unsubscribed() {
        return unsubscribed;
    }

    /** Returns the terms; {@link InputTerms#UNKNOWN} until the sender has accepted the subscription. */
    InputTerms terms() {
        return terms;
    }

    /** Returns true if the sender has accepted the subscription. */
    boolean isAgreed() {
        return stage != Stage.ASKED;
    }

    /** Returns true if the sender has been asked to end the subscription, and has not answered. */
    boolean isLeaving() {
        return stage == Stage.LEAVING;
    }

    /** Returns true if the sender may already have been asked to end the subscription, or the subscription is over. */
    boolean hasLeft() {
        return stage.compareTo(Stage.LEAVING) >= 0;
    }

    /** Records that the sender has accepted the subscription. */
    void agree(InputTerms accepted) {
        terms = accepted;
        stage = Stage.AGREED;
    }

    /** Called when the sender has ended the buffer. Returns true if the last report must be sent before UNSUBSCRIBE. */
    boolean beginsToReport() {
        return advance(Stage.AGREED, Stage.REPORTING);
    }

    /** Begins to unsubscribe. Returns true on the first call after the sender has accepted the subscription. */
    boolean beginsToLeave() {
        return advance(Stage.AGREED, Stage.LEAVING);
    }

    /** Begins to unsubscribe after the last report. Returns true unless the subscription is over. */
    boolean beginsToLeaveAfterReport() {
        return advance(Stage.REPORTING, Stage.LEAVING);
    }

    private boolean advance(Stage from, Stage to) {
        boolean advances = stage == from;
        if (advances) {
            stage = to;
        }
        return advances;
    }

    /** Records that no more writes can arrive; returns true for the first call. */
    synchronized boolean becomesQuiet() {
        boolean becomes = stage != Stage.QUIET;
        stage = Stage.QUIET;
        return becomes;
    }
}
