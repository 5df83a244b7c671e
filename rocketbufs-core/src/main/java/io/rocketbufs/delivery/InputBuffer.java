package io.rocketbufs.delivery;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The receiving end of one subscription: where data arrives, how much of it is consumed, and what the sender knows of
 * that.
 *
 * <p>As a {@link Turn} it makes {@link CreditReports}: the absolute consumed position, at every quarter of the capacity
 * and when the sender asks. There is nothing to queue, for a newer report replaces an older one.
 *
 * <p>A spliced buffer shares its memory with a {@link Fanout}: what arrives is appended to the log, and consumed is
 * what all subscriptions have passed.
 *
 * <p><b>Thread-safety:</b> arrivals on the connection's worker; {@link #consume} from one thread; positions are read by
 * anybody. <b>Ownership:</b> leases its memory for the transport until no write can come, for the application until it
 * gives the buffer up, and for a splice until the last subscription has left. <b>Source:</b> RocketBufs 3.1 to 3.4.
 */
public final class InputBuffer extends Turn implements FanoutOwner {
    private final Endpoint endpoint;
    private final int bufferId;
    private final int tag;
    private final CircularBuffer memory;
    private final RemoteAccess access;
    private final int transferLimit;
    private final CreditReports reports;
    private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    private final CompletableFuture<Void> unsubscribed = new CompletableFuture<>();

    private long arrivedPosition;
    private Object attachment;
    private boolean dirty;
    private boolean agreed;
    private boolean farewellSaid;
    /** Position that the sender waits for until it is reported as consumed. */
    private long starvedFor;

    private volatile boolean overwriting;
    private final AtomicLong receivedPosition = new AtomicLong();
    private volatile long writingEnd;
    private volatile long consumedPosition;

    private volatile Splice splice;
    private volatile boolean dropping;
    private volatile boolean ended;
    /** Written by the worker alone; for metrics only, which may see it late. */
    private long transferCount;

    private volatile long lostLength;
    private Runnable onDrained;

    InputBuffer(Endpoint endpoint, int bufferId, int tag, Region region, long capacity, int transferLimit) {
        this.endpoint = endpoint;
        this.bufferId = bufferId;
        this.tag = tag;
        this.memory = new CircularBuffer(region, capacity);
        this.transferLimit = (int) Math.max(1, Math.min(transferLimit, capacity / 4));
        this.reports = new CreditReports(tag, capacity);
        this.access = endpoint.connection().grant(region, capacity);
        region.retain();
    }

    /** The sender's id for this buffer. */
    public int bufferId() {
        return bufferId;
    }

    /** The memory. */
    public CircularBuffer memory() {
        return memory;
    }

    /** Completes when the sender has accepted the subscription. */
    public CompletableFuture<Void> subscribed() {
        return subscribed;
    }

    /** Completes when nothing arrives any more and the memory is the application's alone. */
    public CompletableFuture<Void> unsubscribed() {
        return unsubscribed;
    }

    int tag() {
        return tag;
    }

    RemoteAccess access() {
        return access;
    }

    int transferLimit() {
        return transferLimit;
    }

    // Arrivals, on the worker.

    void place(int length, Vecs into) {
        checkArrival(length);
        if (arrivedPosition == receivedPosition.getPlain() && memory.isRewindDue(arrivedPosition) && isRewindable()) {
            memory.rewind(arrivedPosition);
        }
        long end = arrivedPosition + length;
        if (overwriting) {
            overwrite(end);
        }
        memory.range(arrivedPosition, length, into);
    }

    /** What lies a capacity before {@code end} is not to be read any more. */
    private void overwrite(long end) {
        Splice to = splice;
        if (to != null) {
            to.makeRoom(end - memory.capacity());
        }
        // Not less than before: a gap voids what has been stored, and with that has overwritten.
        writingEnd = Math.max(writingEnd, end);
    }

    /** True when nothing is held here, and the sender does not write to an offset that follows from positions alone. */
    private boolean isRewindable() {
        return !overwriting
                && endpoint.connection().capabilities().receiverPlaces()
                && consumedPosition() == arrivedPosition;
    }

    private void checkArrival(int length) {
        if (!agreed) {
            throw violation("wrote before it had agreed");
        }
        long end = arrivedPosition + length;
        if (!overwriting && end - reports.reportedPosition() > memory.capacity()) {
            throw violation("wrote " + length + " bytes at position " + arrivedPosition + " with credit for "
                    + (memory.capacity() - arrivedPosition + reports.reportedPosition()));
        }
        long received = receivedPosition.getPlain();
        if (end - received > memory.capacity()) {
            throw violation(
                    "sent a transfer of " + (end - received) + " bytes, more than the capacity " + memory.capacity());
        }
    }

    /** Takes note of a write; true when the buffer has become dirty, so that its splice is to be flushed. */
    boolean arrived(int length, boolean more, InputSink sink) {
        checkArrival(length);
        arrivedPosition += length;
        if (more) {
            return false;
        }
        long position = receivedPosition.getPlain();
        long whole = arrivedPosition - position;
        if (whole < 1) {
            throw violation("sent an empty transfer");
        }
        receivedPosition.setRelease(arrivedPosition);
        transferCount++;
        if (dropping) {
            return false;
        }
        Splice before = splice;
        sink.dataIn(this, position, whole);
        if (splice != before) {
            // The callback made it, and with that passed on what had been received, this transfer included.
            return becomesDirty();
        }
        if (before == null) {
            return false;
        }
        before.append(position, whole);
        return becomesDirty();
    }

    private boolean becomesDirty() {
        boolean wasDirty = dirty;
        dirty = true;
        return !wasDirty;
    }

    /** Makes the subscriptions of a spliced buffer ready for what has arrived. */
    void announce() {
        dirty = false;
        splice.fanout().announce();
    }

    /** Sends to the subscriptions of a spliced buffer, and upstream what credit that gives. */
    void flush() {
        splice.fanout().send();
        relieveSender();
        if (splice.fanout().isUnwanted()) {
            onReleased(Long.MAX_VALUE);
        }
    }

    /**
     * Spliced under flow control: when the sender has no credit for another transfer, and what its next credit takes is
     * still held, the policies of those who hold it decide. Worker only.
     */
    void relieveSender() {
        Splice to = splice;
        if (to == null || overwriting) {
            return;
        }
        if (starvedFor > reports.reportedPosition()) {
            to.relieveSender(starvedFor);
        } else if (arrivedPosition - reports.reportedPosition() > memory.capacity() - transferLimit) {
            to.relieveSender(reports.nextQuarter());
        }
    }

    void onGap(long position, long lost, InputSink sink) {
        if (position > arrivedPosition || position < receivedPosition() || lost < 0) {
            throw violation(
                    "reported a gap at position " + position + " lost=" + lost + ", received is " + receivedPosition());
        }
        arrivedPosition = position;
        lostLength += lost;
        if (!dropping) {
            sink.gap(this, position, lost);
        }
    }

    /**
     * The sender has agreed.
     *
     * @param word where the sender looks for the consumed position; NONE when it does not
     * @return null, or why this buffer cannot be what its splice took it for
     */
    String onSubscribed(boolean overwriting, RemoteAccess word) {
        if (agreed) {
            throw violation("agreed twice");
        }
        this.overwriting = overwriting;
        agreed = true;
        if (endpoint.connection().capabilities().operations().contains(Capabilities.Operation.WRITE_WORD)) {
            reports.into(word);
        }
        rest(Outcome.IDLE);
        Splice to = splice;
        if (to != null && to.fanout().options().flowControl() == overwriting) {
            return "has flow control " + (overwriting ? "off" : "on") + ", other than its splice";
        }
        subscribed.complete(null);
        return null;
    }

    /**
     * The sender ends this buffer, or the connection is lost.
     *
     * @param code what to call it towards who still waits for the sender's agreement
     * @param failure null for an end in good order
     */
    void onEnd(TransportException.Code code, String failure, InputSink sink) {
        if (ended) {
            return;
        }
        ended = true;
        boolean awaited = !subscribed.isDone();
        try {
            if (awaited) {
                subscribed.completeExceptionally(
                        new TransportException(code, "buffer " + bufferId + " of " + endpoint.peer() + ": " + failure));
            } else if (!dropping) {
                sink.ended(this, failure);
            }
        } finally {
            if (awaited || splice != null) {
                giveUp();
            }
        }
    }

    /** The application gives the buffer up: from now on what arrives is thrown away. */
    void giveUp() {
        synchronized (this) {
            if (dropping) {
                return;
            }
            dropping = true;
        }
        Splice to = splice;
        if (to != null) {
            to.fanout().end();
        }
        memory.region().release();
    }

    /** True for the first caller after the sender has agreed: the buffer may be unsubscribed, once. Worker only. */
    boolean claimFarewell() {
        boolean first = agreed && !farewellSaid;
        farewellSaid |= first;
        return first;
    }

    /** True when the sender has agreed. Worker only. */
    boolean isAgreed() {
        return agreed;
    }

    /** True when the sender has been asked to end the subscription. Worker only. */
    boolean isFarewellSaid() {
        return farewellSaid;
    }

    /** No write can come any more. Worker only. */
    void onQuiet() {
        farewellSaid = true;
        endpoint.connection().revoke(access);
        unsubscribed.complete(null);
        memory.region().release();
    }

    /** The sender waits until {@code position} is consumed. */
    void onStarving(long position) {
        starvedFor = position;
        onFlush(position);
        relieveSender();
    }

    /** The sender wants to know when {@code position} is consumed. */
    void onFlush(long position) {
        reports.request(position);
        reportIfDue();
    }

    // Consumption.

    /**
     * Gives back the oldest {@code length} bytes.
     *
     * @throws IllegalStateException when the buffer is spliced: there, returning from the callback consumes
     */
    public void consume(long length) {
        long consumed = consumedPosition;
        if (splice != null) {
            throw new IllegalStateException(
                    "bufferId=" + bufferId + " is spliced: what it holds is consumed by itself");
        }
        if (length < 0 || length > receivedPosition() - consumed) {
            throw new IllegalArgumentException(
                    "bufferId=" + bufferId + " length=" + length + " received=" + (receivedPosition() - consumed));
        }
        consumedPosition = consumed + length;
        reportIfDue();
    }

    /** Position up to which data has been given back. */
    public long consumedPosition() {
        Splice to = splice;
        return to == null ? consumedPosition : to.consumedPosition();
    }

    /** Position up to which whole deliveries have arrived. */
    public long receivedPosition() {
        return receivedPosition.get();
    }

    /** Position before which an overwriting buffer's data may have been overwritten; read it after the data. */
    public long overwriteLimit() {
        return Math.max(0, Math.max(writingEnd, receivedPosition()) - memory.capacity());
    }

    /** True when the sender overwrites without regard to what is consumed. */
    public boolean isOverwriting() {
        return overwriting;
    }

    /** True when the application has unsubscribed. */
    public boolean isGivenUp() {
        return dropping;
    }

    /** Keeps something of the application's with this buffer; worker only. */
    public void attach(Object attachment) {
        this.attachment = attachment;
    }

    /** What {@link #attach} kept; worker only. */
    public Object attachment() {
        return attachment;
    }

    InputState state() {
        return new InputState(
                bufferId,
                endpoint.peer(),
                memory.capacity(),
                receivedPosition(),
                consumedPosition(),
                transferCount,
                reports.count(),
                lostLength);
    }

    // Splicing.

    /**
     * Shares this buffer's memory with a fanout; on the worker. What is received and not consumed is appended.
     *
     * @param options whose flow control is taken for the sender's as long as the sender has not told its own
     */
    Fanout splice(int outId, BufferOptions options, Runnable onDrained) {
        if (splice != null || ended || dropping) {
            throw new IllegalStateException(
                    "bufferId=" + bufferId + (splice == null ? " has ended" : " is spliced already"));
        }
        long base = consumedPosition;
        DeliveryLog log = Splice.newLog(memory, transferLimit, options.coalescing());
        BufferOptions own = agreed ? options.withFlowControl(!overwriting) : options;
        Fanout fanout = new Fanout(outId, memory, log, own, this, null);
        memory.region().retain();
        this.onDrained = onDrained;
        splice = new Splice(fanout, transferLimit, base);
        long received = receivedPosition();
        if (received > base) {
            log.append(base, received - base, base, 0, null);
        }
        return fanout;
    }

    /** True when this buffer's memory is shared with an output. */
    public boolean isSpliced() {
        return splice != null;
    }

    @Override
    public long longestCoalesced() {
        return transferLimit;
    }

    @Override
    public void onReleased(long released) {
        Splice to = splice;
        if (released == Long.MAX_VALUE || to.position(released) >= reports.next()) {
            reportIfDue();
        }
    }

    @Override
    public void onDrained() {
        memory.region().release();
        onDrained.run();
    }

    // Credit, as a turn.

    private void reportIfDue() {
        if (isReady()) {
            endpoint.sender().signal(this);
            endpoint.sender().flush();
        }
    }

    @Override
    boolean isReady() {
        return !overwriting && !ended && !dropping && consumedPosition() >= reports.next();
    }

    @Override
    Outcome take(Sender sender) {
        if (ended || dropping) {
            // UNSUBSCRIBE may be said already, and after that the tag is not ours.
            return Outcome.IDLE;
        }
        return reports.report(sender, consumedPosition()) ? Outcome.IDLE : Outcome.BLOCKED;
    }

    private TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "sender of buffer " + bufferId + " " + what);
    }
}
