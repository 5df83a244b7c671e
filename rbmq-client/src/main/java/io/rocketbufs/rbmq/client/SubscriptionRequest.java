package io.rocketbufs.rbmq.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The request of a subscription over one connection, with the buffers that the broker has added to it. A subscription
 * has another request on each connection, and one without a connection in between.
 *
 * <pre>
 *   UNSENT ---sent---&gt; SENT ---the broker has listed all buffers---&gt; LISTED ---close()---&gt; ENDING
 *                        |                                                                ^
 *                        +---close()---&gt; UNWANTED ---the broker has listed all buffers----+
 * </pre>
 *
 * The broker must not be asked to end a subscription in SENT, because it does not know one that it refuses.
 *
 * <p>A request continues the one before it if both are for the same broker, and the previous one was complete. The
 * number of bytes that were missed in between can then be known.
 *
 * <p><b>Thread-safety:</b> the connection's worker; created on any thread.
 *
 * @param <B> the type of buffers, about which this class knows nothing
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
    /** Those of the buffers that have messages waiting, the one that has waited longest first. */
    private final Set<B> behind = new LinkedHashSet<>();
    /** Those of the buffers whose older messages this subscription has requested and not received yet. */
    private final Set<B> older = new HashSet<>(2);

    private State state;
    private int unsettledCount;
    /** True when all buffers that were listed first have been subscribed to. */
    private boolean complete;
    /** Number of buffers that are known to have left the matching topics of this broker. */
    private long departures;
    /**
     * Number of buffers that the broker has counted too, but {@link #departures} counts only when they are forgotten.
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

    /** Returns the first request of a subscription, which is sent to a broker. */
    static <B> SubscriptionRequest<B> first(boolean isWildcard, long broker) {
        return new SubscriptionRequest<>(isWildcard, broker, State.SENT, null);
    }

    /** Returns the next request, which is sent to a broker. */
    SubscriptionRequest<B> next(long nextBroker) {
        return new SubscriptionRequest<>(isWildcard, nextBroker, State.SENT, this);
    }

    /**
     * Returns the next request while there is no connection. It contains the available information about the previous
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

    /** Returns those of the buffers that have messages waiting, the one that has waited longest first. */
    Set<B> behind() {
        return behind;
    }

    /** Returns those of the buffers whose older messages this subscription has requested and not received yet. */
    Set<B> older() {
        return older;
    }

    /** Returns true when everything has been received that is older than the subscription. */
    boolean isCaughtUp() {
        return complete && older.isEmpty();
    }

    /** Called when subscribing to a buffer begins. */
    void unsettled() {
        unsettledCount++;
    }

    /** Called when subscribing to a buffer has succeeded or failed. Returns true if the request is complete now. */
    boolean settled() {
        unsettledCount--;
        return checkComplete();
    }

    /**
     * Called when the broker has listed all buffers that the matching topics had when the subscription began, which
     * means that it has accepted the subscription. Returns true if the request is complete now.
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

    /** Returns true when the broker must be asked to end the subscription, because that was requested before. */
    boolean mustEnd() {
        return state == State.ENDING;
    }

    /** Called when the subscription was closed. Returns true when the broker must be asked to end it now. */
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
     * @param absent number of those that are known because the broker no longer lists them. They are counted again
     *     after the loss of this connection, unless {@link #onAbsentForgotten} comes first
     * @return true when this request continues, and others have left that the subscriber never knew
     */
    boolean onDepartures(long count, long absent) {
        boolean missed = continued && count > departures + absent;
        departures = count - absent;
        absentCount = absent;
        return missed;
    }

    /** Called when the buffers that the broker no longer lists have been reported, and will not be counted again. */
    void onAbsentForgotten() {
        departures += absentCount;
        absentCount = 0;
    }
}
