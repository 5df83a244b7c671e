package io.rocketbufs.in;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.link.Link;
import io.rocketbufs.link.SendTask;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;

/**
 * The receiving end of one subscription: where data arrives, how much of it is consumed, and what the sender knows of
 * that.
 *
 * <p>As a {@link SendTask} it makes {@link CreditReports}: the absolute consumed position, at every quarter of the
 * capacity and when the sender asks. There is nothing to queue, for a newer report replaces an older one.
 *
 * <p>Towards the sender it goes through these stages, on the worker:
 *
 * <pre>
 *   ASKED --SUBSCRIBED--&gt; AGREED --UNSUBSCRIBE sent--&gt; LEAVING --UNSUBSCRIBED--&gt; QUIET
 *     |                      |                            |                        ^
 *     +--- refused, or the connection is lost ------------+------------------------+
 * </pre>
 *
 * The sender may <em>end</em> the buffer, and the application may <em>give it up</em>, at any stage. What has arrived
 * stays readable until the application gives the buffer up.
 *
 * <p><b>Thread-safety:</b> arrivals on the connection's worker; {@link #consume} from one thread; any thread reads
 * positions. <b>Ownership:</b> leases its memory for the transport until no write can come, for the application until
 * it gives the buffer up, and for an outlet until {@link #releaseOutlet()}. <b>Source:</b> RocketBufs 3.1 to 3.4.
 */
public final class InputBuffer extends SendTask {
    private enum Stage {
        ASKED,
        AGREED,
        LEAVING,
        QUIET
    }

    private final Link link;
    private final int bufferId;
    private final int tag;
    private final CircularBuffer memory;
    private final RemoteAccess access;
    private final int transferLimit;
    private final Arrivals arrivals;
    private final CreditReports reports;
    private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    private final CompletableFuture<Void> unsubscribed = new CompletableFuture<>();

    // The worker's.
    private Stage stage = Stage.ASKED;
    private Object attachment;
    /** Its outlet has something to send. */
    private boolean announcing;
    /** Position that the sender waits for until it is reported as consumed. */
    private long starvedFor;

    private volatile boolean overwriting;
    private volatile boolean lossy;
    private volatile long consumedPosition;
    private volatile Outlet outlet;
    private volatile boolean givenUp;
    private volatile boolean ended;

    InputBuffer(Link link, int bufferId, int tag, Region region, long capacity, int transferLimit) {
        this.link = link;
        this.bufferId = bufferId;
        this.tag = tag;
        this.memory = new CircularBuffer(region, capacity);
        this.transferLimit = (int) Math.max(1, Math.min(transferLimit, capacity / 4));
        this.arrivals = new Arrivals(bufferId, capacity);
        this.reports = new CreditReports(tag, capacity);
        this.access = link.connection().grant(region, capacity);
        region.retain();
    }

    /** Returns the sender's id for this buffer. */
    public int bufferId() {
        return bufferId;
    }

    /** Returns the memory. */
    public CircularBuffer memory() {
        return memory;
    }

    /** Returns the connection that this buffer receives from. */
    public Link link() {
        return link;
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

    /** Returns the longest transfer that arrives, unless it is a single delivery. */
    public int transferLimit() {
        return transferLimit;
    }

    // Arrivals, on the worker.

    void place(int length, Vecs into) {
        check(length);
        long position = arrivals.arrived();
        if (arrivals.isBetweenTransfers() && memory.isRewindDue(position) && isRewindable()) {
            memory.rewind(position);
        }
        if (overwriting) {
            arrivals.overwrite(length);
        }
        memory.range(position, length, into);
    }

    /** Returns true when nothing is kept here, and the sender does not derive an offset from positions alone. */
    private boolean isRewindable() {
        return !overwriting && link.capabilities().receiverPlaces() && consumedPosition() == arrivals.arrived();
    }

    private void check(int length) {
        if (stage == Stage.ASKED) {
            throw arrivals.violation("wrote before it had agreed");
        }
        arrivals.check(length, overwriting ? Long.MAX_VALUE : reports.reportedPosition() + memory.capacity());
    }

    /** Notes a write; returns true when the outlet has something new to announce. */
    boolean arrived(int length, boolean more, InputSink sink) {
        check(length);
        if (overwriting) {
            // Where the sender places, this is the first word of it.
            arrivals.overwrite(length);
        }
        arrivals.add(length);
        if (more) {
            return false;
        }
        long position = receivedPosition();
        long whole = arrivals.completeTransfer();
        if (givenUp) {
            return false;
        }
        Outlet before = outlet;
        sink.dataIn(this, position, whole);
        if (before != null) {
            before.arrived(position, whole);
        }
        // An outlet that the callback attached has taken over what had been received, this transfer included.
        return outlet != null && beginsToAnnounce();
    }

    private boolean beginsToAnnounce() {
        boolean begins = !announcing;
        announcing = true;
        return begins;
    }

    /** Makes the outlet's readers ready for what has arrived. */
    void announce() {
        announcing = false;
        outlet.announce();
    }

    /** Lets the outlet's readers send, and give back what the sender waits for. */
    void send() {
        outlet.send();
        relieveSender();
    }

    /**
     * Lets the outlet free what it keeps, when the sender has no credit for another transfer, or has asked for credit.
     */
    void relieveSender() {
        Outlet to = outlet;
        if (to == null || overwriting) {
            return;
        }
        if (starvedFor > reports.reportedPosition()) {
            to.spaceWanted(starvedFor);
        } else if (arrivals.arrived() - reports.reportedPosition() > memory.capacity() - transferLimit) {
            to.spaceWanted(reports.nextQuarter());
        }
    }

    /** Notes that data was left out; returns true when the outlet has something new to announce. */
    boolean onGap(long position, long lost, InputSink sink) {
        arrivals.gap(position, lost);
        if (givenUp) {
            return false;
        }
        Outlet before = outlet;
        sink.gap(this, position, lost);
        if (before == null || lost == 0) {
            return false;
        }
        before.gap(lost);
        return beginsToAnnounce();
    }

    /**
     * Notes that the sender has agreed.
     *
     * @param overwrites true when the sender's writes do not wait for credit
     * @param loses true when the sender does not wait for this subscription, so that data may be left out
     * @param word where the sender looks for the consumed position; NONE when it does not
     * @return null, or why this buffer cannot be what its outlet took it for
     */
    String onSubscribed(boolean overwrites, boolean loses, RemoteAccess word) {
        if (stage != Stage.ASKED) {
            throw arrivals.violation("agreed twice");
        }
        overwriting = overwrites;
        lossy = loses;
        stage = Stage.AGREED;
        if (link.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD)) {
            reports.into(word);
        }
        link.sender().start(this);
        Outlet to = outlet;
        String refusal = to == null ? null : to.refusalOf(overwrites, loses);
        if (refusal == null) {
            subscribed.complete(null);
        }
        return refusal;
    }

    /**
     * Notes that the sender ends this buffer, or that the connection is lost.
     *
     * @param code the code of the failure where the sender's agreement is still awaited
     * @param failure null for an orderly end
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
                        new TransportException(code, "buffer " + bufferId + " of " + link.peer() + ": " + failure));
            } else if (!givenUp) {
                sink.ended(this, failure);
            }
        } finally {
            if (awaited || outlet != null) {
                giveUp();
            }
        }
    }

    /** Checks the position that an orderly end states. */
    void checkEnd(long position) {
        arrivals.checkEnd(position);
    }

    /** Gives the buffer up for the application: what arrives from now on is dropped. Any thread. */
    void giveUp() {
        Outlet to;
        synchronized (this) {
            if (givenUp) {
                return;
            }
            givenUp = true;
            to = outlet;
        }
        if (to != null) {
            to.end();
        }
        memory.region().release();
    }

    /** Returns true once, after the sender has agreed: the buffer may be unsubscribed. Worker only. */
    boolean beginsToLeave() {
        boolean begins = stage == Stage.AGREED;
        if (begins) {
            stage = Stage.LEAVING;
        }
        return begins;
    }

    /** Returns true when the sender has agreed. Worker only. */
    boolean isAgreed() {
        return stage != Stage.ASKED;
    }

    /** Returns true when the sender has been asked to end the subscription. Worker only. */
    boolean isLeaving() {
        return stage == Stage.LEAVING;
    }

    /** Notes that no write can come any more. */
    void onQuiet() {
        synchronized (this) {
            if (stage == Stage.QUIET) {
                return;
            }
            stage = Stage.QUIET;
        }
        link.connection().revoke(access);
        unsubscribed.complete(null);
        memory.region().release();
    }

    /** Notes that the sender waits until {@code position} is consumed. */
    void onStarving(long position) {
        onFlush(position);
        starvedFor = position;
        relieveSender();
    }

    /** Notes that the sender wants to know when {@code position} is consumed. */
    void onFlush(long position) {
        arrivals.checkAsked(position);
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
        if (outlet != null) {
            throw new IllegalStateException("bufferId=" + bufferId
                    + " is spliced: its data is consumed when all subscribers have been sent it");
        }
        if (length < 0 || length > receivedPosition() - consumed) {
            throw new IllegalArgumentException(
                    "bufferId=" + bufferId + " length=" + length + " received=" + (receivedPosition() - consumed));
        }
        consumedPosition = consumed + length;
        reportIfDue();
    }

    /** Returns the position up to which data has been given back. */
    public long consumedPosition() {
        Outlet to = outlet;
        return to == null ? consumedPosition : to.consumedPosition();
    }

    /** Returns the position up to which whole deliveries have arrived. */
    public long receivedPosition() {
        return arrivals.received();
    }

    /**
     * Returns the position before which an overwriting buffer's data may have been overwritten; read it after the data.
     * Where the sender places, a write that has not been reported yet may have overwritten more.
     */
    public long overwriteLimit() {
        return arrivals.overwriteLimit();
    }

    /** Returns true when the sender overwrites without regard to what is consumed. */
    public boolean isOverwriting() {
        return overwriting;
    }

    /** Returns true when the sender does not wait for this subscription, so that data may be left out. */
    public boolean isLossy() {
        return lossy;
    }

    /** Returns true when the sender has agreed to the subscription. */
    public boolean isSubscribed() {
        return subscribed.isDone();
    }

    /** Returns true when the application has unsubscribed. */
    public boolean isGivenUp() {
        return givenUp;
    }

    /** Keeps something of the application's with this buffer; worker only. */
    public void attach(Object kept) {
        attachment = kept;
    }

    /** Returns what {@link #attach} kept; worker only. */
    public Object attachment() {
        return attachment;
    }

    InputState state() {
        return new InputState(
                bufferId,
                link.peer(),
                memory.capacity(),
                receivedPosition(),
                consumedPosition(),
                arrivals.transferCount(),
                reports.count(),
                arrivals.lostLength());
    }

    // The outlet.

    /**
     * Lets what arrives go on to an outlet, which gets at once what has been received and not consumed, and holds a
     * lease on the memory. Worker only.
     *
     * @throws IllegalStateException when there is an outlet already, or nothing more arrives here
     */
    public void goOnTo(Outlet to) {
        long base;
        synchronized (this) {
            if (outlet != null || ended || givenUp) {
                throw new IllegalStateException(
                        "bufferId=" + bufferId + (outlet == null ? " has ended" : " is spliced already"));
            }
            base = consumedPosition;
            memory.region().retain();
            to.begin(base);
            outlet = to;
        }
        long received = receivedPosition();
        if (received > base) {
            to.arrived(base, received - base);
        }
    }

    /** Gives back the outlet's lease, when none of its readers uses the memory any more. Any thread, once. */
    public void releaseOutlet() {
        memory.region().release();
    }

    /** Returns true when this buffer has an outlet. */
    public boolean isSpliced() {
        return outlet != null;
    }

    /** Notes that the outlet has consumed up to a position. Any thread; quick when no report is due. */
    public void outletConsumed(long position) {
        if (position >= reports.next()) {
            reportIfDue();
        }
    }

    // Credit, as a task.

    private void reportIfDue() {
        if (hasWork()) {
            link.sender().signal(this);
            link.sender().sendReady();
        }
    }

    @Override
    protected boolean hasWork() {
        return !overwriting && !ended && !givenUp && consumedPosition() >= reports.next();
    }

    @Override
    protected Outcome take(int requests) {
        if (ended || givenUp || overwriting) {
            // UNSUBSCRIBE may have been sent already, and after that the tag is not ours.
            return Outcome.IDLE;
        }
        long consumed = consumedPosition();
        return !reports.isDue(consumed) || reports.report(link.sender(), consumed) ? Outcome.IDLE : Outcome.BLOCKED;
    }
}
