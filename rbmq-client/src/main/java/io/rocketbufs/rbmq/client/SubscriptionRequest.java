package io.rocketbufs.rbmq.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The request of a subscription over one connection, including the buffers that the broker has added to it. A
 * subscription has a new request on each connection, and also while there is no connection.
 *
 * <pre>
 *   UNSENT ---sent---&gt; SENT ---the broker has listed all buffers---&gt; LISTED ---close()---&gt; ENDING
 *                        |                                                                ^
 *                        +---close()---&gt; UNWANTED ---the broker has listed all buffers----+
 * </pre>
 *
 * In SENT, the broker must not be asked to end a subscription, because it does not recognize one that it has refused.
 *
 * <p>A request continues the previous one if both are for the same broker and the previous one was complete. The number
 * of bytes missed in between can then be known.
 *
 * <p><b>Thread-safety:</b> the connection's worker; created on any thread.
 *
 * @param <B> the type of buffers
 */
final class SubscriptionRequest<B> {
    private enum State {
        UNSENT,
        SENT,
        UNWANTED,
        LISTED,
        ENDING
    }

    private final boolean isWildcard;
    private final long broker;
    private final boolean continued;
    private final Collection<B> buffers;
    /** The buffers with waiting messages; the one that has waited longest is first. */
    private final Set<B> behind = new LinkedHashSet<>();
    /** The buffers whose older messages this subscription has requested and not yet received. */
    private final Set<B> older = new HashSet<>(2);

    private State state;
    private int unsettledCount;
    /** True when all buffers that the broker listed initially have been subscribed to. */
    private boolean complete;
    /** Number of buffers that are known to have left the matching topics of this broker. */
    private long departures;
    /**
     * Number of departed buffers that the broker has counted, but that {@link #departures} includes only once they are
     * removed.
     */
    private long absentCount;

    private SubscriptionRequest(boolean isWildcard, long broker, State state, SubscriptionRequest<B> former) {
        this.isWildcard = isWildcard;
        this.buffers = isWildcard ? new LinkedHashSet<>() : new ArrayList<>(1);
        this.broker = broker;
        this.state = state;
        boolean isSame = former != null && former.broker == broker;
        this.continued = isSame && (former.complete || former.continued);
        this.departures = isSame ? former.departures : 0;
    }

    /** Returns the first request of a subscription, which is sent to the given broker. */
    static <B> SubscriptionRequest<B> first(boolean isWildcard, long broker) {
        return new SubscriptionRequest<>(isWildcard, broker, State.SENT, null);
    }

    /** Returns the next request, which is sent to the given broker. */
    SubscriptionRequest<B> next(long nextBroker) {
        return new SubscriptionRequest<>(isWildcard, nextBroker, State.SENT, this);
    }

    /**
     * Returns the next request while there is no connection. It contains the known information about the previous
     * broker.
     */
    SubscriptionRequest<B> lost() {
        return new SubscriptionRequest<>(isWildcard, broker, State.UNSENT, this);
    }

    /** Returns true if the number of bytes missed since the previous request can be known. */
    boolean isContinued() {
        return continued;
    }

    /** Returns the buffers with an established or pending subscription. */
    Collection<B> buffers() {
        return buffers;
    }

    /** Returns the buffers with waiting messages; the one that has waited longest is first. */
    Set<B> behind() {
        return behind;
    }

    /** Returns the buffers whose older messages this subscription has requested and not yet received. */
    Set<B> older() {
        return older;
    }

    /** Returns true if all messages that are older than the subscription have been received. */
    boolean isCaughtUp() {
        return complete && older.isEmpty();
    }

    /** Called when subscribing to a buffer starts. */
    void unsettled() {
        unsettledCount++;
    }

    /** Called when subscribing to a buffer has succeeded or failed. Returns true if the request is now complete. */
    boolean settled() {
        unsettledCount--;
        return checkComplete();
    }

    /**
     * Called when the broker has listed all buffers that the matching topics had when the subscription began, which
     * means that it has accepted the subscription. Returns true if the request is now complete.
     */
    boolean onListed() {
        state = state == State.UNWANTED ? State.ENDING : State.LISTED;
        return checkComplete();
    }

    private boolean checkComplete() {
        complete |= isListed() && unsettledCount == 0;
        return complete;
    }

    boolean isListed() {
        return state == State.LISTED || state == State.ENDING;
    }

    /** Returns true if the broker must be asked to end the subscription, because the application has closed it. */
    boolean mustEnd() {
        return state == State.ENDING;
    }

    /** Called when the subscription was closed. Returns true if the broker must be asked to end it now. */
    boolean requestEnd() {
        State before = state;
        if (before == State.SENT) {
            state = State.UNWANTED;
        } else if (before == State.LISTED) {
            state = State.ENDING;
        }
        return before == State.LISTED;
    }

    /** Called when a buffer has left one of the matching topics. */
    void onDeparture() {
        departures++;
    }

    /**
     * Called when the broker states how many buffers have left the matching topics.
     *
     * @param absent number of these buffers that are known to have left because the broker no longer lists them. They
     *     are counted again after the loss of this connection, unless {@link #onAbsentForgotten} is called first
     * @return true if this request continues, and buffers unknown to the subscriber have left
     */
    boolean onDepartures(long count, long absent) {
        boolean missed = continued && count > departures + absent;
        departures = count - absent;
        absentCount = absent;
        return missed;
    }

    /** Called when the buffers that the broker no longer lists have been reported and will not be counted again. */
    void onAbsentForgotten() {
        departures += absentCount;
        absentCount = 0;
    }
}
