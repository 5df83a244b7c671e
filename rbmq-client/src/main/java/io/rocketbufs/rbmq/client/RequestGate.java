package io.rocketbufs.rbmq.client;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.RequestException.Reason;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A gate that decides whether a client's requests can be sent, and holds requests that must wait.
 *
 * <pre>
 *      the inbox is live, and no request waits
 *   OPENING ------------------------------&gt; OPEN
 *     ^   |                                   |
 *     |   +----- a connection is lost --------+
 *     |                   v
 *     +-- both are back - LOST
 *
 *   any state ---closed, refused, or a lost connection is not replaced---&gt; ENDED
 * </pre>
 *
 * Requests wait in OPENING. In LOST, they fail at once: repeating a request once the connection has been replaced is
 * better than waiting for its timeout. ENDED is final.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class RequestGate {
    private final long capacity;
    private final Set<Role> lost = EnumSet.noneOf(Role.class);
    private List<Waiting> waiting = new ArrayList<>();
    private long waitingLength;
    private boolean inboxLive;
    private boolean open;
    /** The reason why requests fail in LOST and ENDED; null in OPENING and OPEN. */
    private Failure failure;

    private boolean ended;

    /** The reason why requests fail. */
    record Failure(Reason reason, String why) {}

    /** A request that waits for the inbox, with copies of its content. */
    record Waiting(PendingRequest request, Headers headers, byte[] payload) {}

    /** The decision on a request. */
    enum Entry {
        SEND,
        WAIT,
        FAIL,
        NO_SPACE
    }

    /**
     * Creates a gate in OPENING.
     *
     * @param capacity maximum total length in bytes of the waiting requests
     */
    RequestGate(long capacity) {
        this.capacity = capacity;
    }

    /** Returns the reason why requests fail; null when they are accepted. */
    synchronized Failure failure() {
        return failure;
    }

    /** Decides on a request. If it must wait, adds it with a copy of its content. */
    synchronized Entry enter(PendingRequest request, Headers headers, byte[] payload) {
        if (failure != null) {
            return Entry.FAIL;
        }
        if (open) {
            return Entry.SEND;
        }
        long length = (long) headers.encodedLength() + payload.length;
        if (waitingLength + length > capacity) {
            return Entry.NO_SPACE;
        }
        waiting.add(new Waiting(request, headers, payload.clone()));
        waitingLength += length;
        return Entry.WAIT;
    }

    /** Returns the requests that can be sent now, in order. If there are none, later requests need not wait. */
    synchronized List<Waiting> takeDue() {
        if (!inboxLive || failure != null) {
            return List.of();
        }
        open = waiting.isEmpty();
        return takeWaiting();
    }

    /** Called when the broker has accepted the subscription to the inbox. */
    synchronized void inboxLive() {
        inboxLive = true;
    }

    /** Called when the connection with the given role is lost and may be replaced. */
    synchronized void lose(Role role, String why) {
        lost.add(role);
        inboxLive &= role != Role.SUBSCRIBER;
        fail(new Failure(Reason.NOT_CONNECTED, why));
    }

    /** Called when the connection with the given role has been replaced. */
    synchronized void restore(Role role) {
        lost.remove(role);
        if (lost.isEmpty() && !ended) {
            failure = null;
        }
    }

    /** Makes all further requests fail. Only the first call has an effect. */
    synchronized void end(Reason reason, String why) {
        fail(new Failure(reason, why));
        ended = true;
    }

    private void fail(Failure why) {
        if (!ended) {
            open = false;
            failure = why;
            takeWaiting();
        }
    }

    private List<Waiting> takeWaiting() {
        List<Waiting> taken = waiting;
        waiting = new ArrayList<>();
        waitingLength = 0;
        return taken;
    }
}
