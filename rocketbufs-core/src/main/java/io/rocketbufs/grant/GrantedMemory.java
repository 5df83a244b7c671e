package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.link.WriteOwner;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GrantLayout;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Memory on this side that the peer may use, from the creation of the grant to its end.
 *
 * <pre>
 *            revoke               REVOKED                  no answer is being sent
 *   GRANTED ---------&gt; REVOKING -----------&gt; CONFIRMED -----------------------------&gt; ENDED
 *                          |                     |                                      ^
 *                          +------ time over ----+-----&gt; FORCED --- REVOKED ------------+
 *                                                          |                            |
 *                                                          +---- end of connection -----+
 * </pre>
 *
 * <p>In FORCED, the peer can no longer reach the memory, or the connection is being closed to ensure this. The id stays
 * in use until the peer has confirmed the revocation, because the peer may use the id until then.
 *
 * <p>If the receiver places arriving bytes, each write continues where the previous one ended, unless a SEEK precedes
 * it. On every transport, therefore, the peer chooses where its bytes are placed, and core checks the range.
 *
 * <p><b>Thread-safety:</b> the worker, except where a method states otherwise. <b>Ownership:</b> holds a lease on the
 * region until the end.
 */
public final class GrantedMemory implements WriteOwner {
    private enum State {
        GRANTED,
        REVOKING,
        CONFIRMED,
        FORCED,
        ENDED
    }

    private final Link link;
    private final GrantName name;
    private final Region region;
    private final long offset;
    private final long length;
    private final int rights;
    private final RemoteAccess access;
    private final GrantCallback callback;
    private final Consumer<GrantedMemory> onIdFree;
    private final boolean receiverPlaces;
    private final CompletableFuture<Revocation> end = new CompletableFuture<>();
    /** Number of unanswered requests from the peer, plus the number of answers being sent from the memory. */
    private final AtomicInteger uses = new AtomicInteger();

    /** Number of answers being sent from the memory. Accessed under the token, like the next field. */
    private int answersInFlight;
    /** The action to run once no answer is being sent; null if no request is waiting for this. */
    private Runnable onAnswersSent;

    private volatile State state = State.GRANTED;
    /** The timer that forcibly ends the peer's access; null if there is none. */
    private Future<?> timeLimit;
    /** The offset of the next write if this side places it. */
    private long position;
    /** Number of bytes received so far of the write that is arriving. */
    private long arrivedLength;
    /** True from the placement of a write until the write has arrived. */
    private boolean isWriteUnderWay;

    /**
     * Creates a grant, which takes ownership of a lease on the region.
     *
     * @param access the access that the transport has granted; NONE if there is none
     * @param onIdFree called once, on the worker, when the peer no longer uses the id
     */
    GrantedMemory(
            Link link,
            GrantName name,
            Region region,
            long offset,
            long length,
            Set<Right> rights,
            RemoteAccess access,
            GrantCallback callback,
            Consumer<GrantedMemory> onIdFree) {
        this.link = link;
        this.name = name;
        this.region = region;
        this.offset = offset;
        this.length = length;
        this.rights = Rights.bits(rights);
        this.access = access;
        this.callback = callback;
        this.onIdFree = onIdFree;
        this.receiverPlaces = link.capabilities().receiverPlaces();
    }

    // Any thread.

    /** Returns the id and the serial number. */
    GrantName name() {
        return name;
    }

    /** Returns the id, which is unique among the grants of this side of the connection. */
    public int id() {
        return name.id();
    }

    /** Returns a new buffer with the description that the peer needs. */
    public ByteBuffer description() {
        ByteBuffer description = ByteBuffer.allocate(GrantLayout.LENGTH);
        GrantLayout.putGrant(description, rights, name.id(), name.serial());
        GrantLayout.putMemory(description, length, access.address(), access.key());
        return description.flip();
    }

    /** Returns a future that completes when the peer can no longer reach the memory. */
    public CompletableFuture<Revocation> end() {
        return end.copy();
    }

    /**
     * Asks the peer to stop using the memory, and ends the peer's access if it does not confirm within the timeout. A
     * repeated call replaces the timeout.
     */
    public CompletableFuture<Revocation> revoke(long timeoutMs) {
        if (timeoutMs < 0) {
            throw new IllegalArgumentException("timeoutMs=" + timeoutMs + " is negative");
        }
        if (!end.isDone()) {
            link.worker().execute(() -> beginRevocation(timeoutMs));
        }
        return end();
    }

    /** Returns the region that contains the memory. */
    Region region() {
        return region;
    }

    /** Appends a range of the granted memory to a list. */
    boolean range(long from, int count, Vecs into) {
        return region.range(offset + from, count, into);
    }

    // Uses by the peer, on the worker.

    /** Places the next bytes of a write. */
    void place(int count, Vecs into) {
        requireUse("write", GrantLayout.WRITE, position, count);
        isWriteUnderWay = true;
        range(position, count, into);
    }

    /** Called when bytes of a write have arrived. */
    void arrived(int number, int count, boolean more) {
        requireUse("write", GrantLayout.WRITE, receiverPlaces ? position : 0, count);
        isWriteUnderWay = false;
        position += receiverPlaces ? count : 0;
        arrivedLength += count;
        if (arrivedLength > length) {
            throw violation("wrote " + arrivedLength + " bytes at once");
        }
        if (!more) {
            long whole = arrivedLength;
            arrivedLength = 0;
            callback.onWritten(number, whole);
        }
    }

    /** Sets the offset of the next write. */
    void seek(long to) {
        requireUse("write", GrantLayout.WRITE, to, 0);
        if (!receiverPlaces) {
            throw violation("sent SEEK although it addresses the memory directly");
        }
        position = to;
    }

    /** Starts an operation that this side executes for the peer; a call to {@link #used} must follow. */
    void use(String operation, Right right, long from, int count) {
        requireUse(operation, Rights.bit(right), from, count);
        uses.incrementAndGet();
    }

    private void requireUse(String operation, int right, long from, long count) {
        if (state != State.GRANTED && state != State.REVOKING) {
            throw violation("used the memory after its revocation: operation=" + operation);
        }
        if ((rights & right) == 0) {
            throw violation("has no right to " + operation);
        }
        if (from < 0 || count < 0 || from > length - count) {
            throw violation("exceeded the memory: operation=" + operation + ", offset=" + from + ", length=" + count
                    + ", granted length=" + length);
        }
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, link.peer() + ": grant " + name + ": " + what);
    }

    // Answers, under the token.

    @Override
    public void writePosted() {
        answersInFlight++;
        uses.incrementAndGet();
    }

    @Override
    public void writeCompleted(long unused) {
        if (--answersInFlight == 0 && onAnswersSent != null) {
            onAnswersSent.run();
            onAnswersSent = null;
        }
        used();
    }

    /**
     * Returns true if no answer is being sent from the memory; otherwise, runs {@code whenSo} once this is the case.
     */
    boolean areAnswersSent(Runnable whenSo) {
        onAnswersSent = answersInFlight == 0 ? null : whenSo;
        return answersInFlight == 0;
    }

    @Override
    public void writeDone(long unused) {
        // Nothing to do: the memory was not in use.
    }

    /** Releases one use of the memory. */
    void used() {
        if (uses.decrementAndGet() == 0 && state == State.CONFIRMED) {
            link.worker().execute(this::endIfUnused);
        }
    }

    // Revocation, on the worker.

    private void beginRevocation(long timeoutMs) {
        if (state == State.GRANTED) {
            state = State.REVOKING;
            link.answer(ControlMessages.revocation(ControlType.REVOKE, name.id(), name.serial()));
        }
        if (state == State.REVOKING || state == State.CONFIRMED) {
            endTimeLimit();
            if (timeoutMs == 0) {
                force(timeoutMs);
            } else {
                timeLimit = link.worker().schedule(() -> force(timeoutMs), timeoutMs);
            }
        }
    }

    /** Cancels the timer. A running timer would keep this grant reachable. */
    private void endTimeLimit() {
        if (timeLimit != null) {
            timeLimit.cancel(false);
            timeLimit = null;
        }
    }

    /** Called when the peer confirms that it no longer uses the memory. */
    void onRevoked() {
        switch (state) {
            case REVOKING -> {
                onIdFree.accept(this);
                state = State.CONFIRMED;
                endIfUnused();
            }
            case FORCED -> {
                onIdFree.accept(this);
                state = State.ENDED;
            }
            default -> throw violation("sent REVOKED without a REVOKE");
        }
    }

    private void endIfUnused() {
        if (state == State.CONFIRMED && uses.get() == 0) {
            state = State.ENDED;
            release(Revocation.CONFIRMED);
        }
    }

    private void force(long timeoutMs) {
        if (state != State.REVOKING && state != State.CONFIRMED) {
            return;
        }
        boolean isIdFree = state == State.CONFIRMED;
        state = State.FORCED;
        if (isTouchable()) {
            link.disconnect("grant " + name + " was revoked, but was still in use after " + timeoutMs + " ms");
        } else {
            state = isIdFree ? State.ENDED : State.FORCED;
            release(Revocation.FORCED);
        }
    }

    /** Returns true if only closing the connection can prevent the peer from reaching the memory. */
    private boolean isTouchable() {
        boolean isAddressed = !access.equals(RemoteAccess.NONE);
        return isWriteUnderWay
                || uses.get() > 0
                || isAddressed && !link.capabilities().revokeFences();
    }

    /** Called when the connection has ended and the transport no longer accesses memory. */
    void onClosed() {
        boolean wasForced = state == State.FORCED;
        state = State.ENDED;
        if (!end.isDone()) {
            release(wasForced ? Revocation.FORCED : Revocation.CONNECTION_CLOSED);
        }
    }

    private void release(Revocation how) {
        endTimeLimit();
        try {
            if (!access.equals(RemoteAccess.NONE)) {
                link.connection().revoke(access);
            }
            region.release();
        } finally {
            end.complete(how);
        }
    }
}
