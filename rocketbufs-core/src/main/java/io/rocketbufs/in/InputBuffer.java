package io.rocketbufs.in;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.link.Link;
import io.rocketbufs.link.SendTask;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;

/**
 * The receiving end of one subscription: the memory for arriving data, the consumed position, and the position that has
 * been reported to the sender.
 *
 * <p>As a {@link SendTask}, it sends {@link CreditReports}. Newer reports replace older ones instead of queuing.
 *
 * <p>{@link InputLife} contains the states of the subscription. In any state, the sender can end the buffer and the
 * application can release it ({@link #giveUp}). Received data stays readable until the application releases the buffer.
 *
 * <p><b>Thread-safety:</b> data arrives on the connection's worker, and one thread calls {@link #consume}. Any thread
 * may read positions. <b>Ownership:</b> holds leases on its memory for the transport until no more writes can arrive,
 * for the application until it releases the buffer, and for an outlet until {@link #releaseOutlet()}. <b>Source:</b>
 * RocketBufs 3.1 to 3.4.
 */
public final class InputBuffer extends SendTask {
    private final Link link;
    private final int bufferId;
    private final int tag;
    private final long capacity;
    private final CircularBuffer memory;
    private final RemoteAccess access;
    private final int transferLimit;
    private final Arrivals arrivals;
    private final CreditReports reports;
    private final SenderWait senderWait;
    private final InputLife life = new InputLife();
    // Worker only.
    private Object attachment;
    /** True if the outlet has data to send. */
    private boolean announcing;

    // Parts of the agreed state and terms, stored here because every write depends on them.
    private boolean agreed; // worker only
    private volatile boolean overwriting;
    private volatile long consumedPosition;
    private volatile Outlet outlet;
    private volatile boolean givenUp;
    private volatile boolean ended;

    /**
     * Creates a buffer over a region.
     *
     * @param region memory of at least {@code capacity} bytes plus the bytes that the options keep
     * @param capacity maximum number of unconsumed bytes
     */
    InputBuffer(Link link, int bufferId, int tag, Region region, long capacity, SubscribeOptions options) {
        this.link = link;
        this.bufferId = bufferId;
        this.tag = tag;
        this.capacity = capacity;
        this.memory = new CircularBuffer(region, capacity + options.keep());
        if (options.keep() > 0) {
            memory.neverRewind();
        }
        this.transferLimit = (int) Math.max(1, Math.min(options.transferLimit(), capacity / 4));
        this.arrivals = new Arrivals(bufferId, memory.capacity());
        this.reports = new CreditReports(tag, capacity);
        this.senderWait = new SenderWait(reports, capacity, transferLimit);
        this.access = link.connection().grant(region, 0, memory.capacity());
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

    /** Returns the number of consumed bytes that stay intact. */
    public long keep() {
        return memory.capacity() - capacity;
    }

    /** Returns the link from which this buffer receives. */
    public Link link() {
        return link;
    }

    /** Returns a future that completes when the sender has accepted the subscription. */
    public CompletableFuture<Void> subscribed() {
        return life.subscribed();
    }

    /** Returns a future that completes when no more data can arrive and the transport no longer uses the memory. */
    public CompletableFuture<Void> unsubscribed() {
        return life.unsubscribed();
    }

    InputLife life() {
        return life;
    }

    int tag() {
        return tag;
    }

    RemoteAccess access() {
        return access;
    }

    /** Returns the maximum length of an arriving transfer that combines deliveries; a single delivery may be longer. */
    public int transferLimit() {
        return transferLimit;
    }

    // Arrivals, on the worker.

    void place(int length, Vecs into) {
        admit(length);
        long position = arrivals.arrived();
        if (arrivals.isBetweenTransfers() && memory.isRewindDue(position) && isRewindable()) {
            memory.rewind(position);
        }
        arrivals.begin(length);
        memory.range(position, length, into);
    }

    /** Checks a write and publishes the range that it overwrites, if possible before the bytes are stored. */
    private void admit(int length) {
        if (!agreed) {
            throw arrivals.violation("wrote before it had accepted the subscription");
        }
        boolean overwrites = overwriting;
        arrivals.check(length, overwrites ? Long.MAX_VALUE : reports.admittedPosition() + capacity);
        if (overwrites) {
            arrivals.overwrite(length);
        }
    }

    /** Returns true if the buffer is empty and only this side maps positions to offsets. */
    private boolean isRewindable() {
        return !overwriting && link.capabilities().receiverPlaces() && arrivals.areConsumed(consumedPosition());
    }

    /** Records a write; returns true if the outlet has something new to announce. */
    boolean arrived(int length, boolean more, InputSink sink) {
        if (!arrivals.hasBegun(length)) {
            admit(length);
        }
        arrivals.add(length);
        if (more) {
            return false;
        }
        long whole = arrivals.completeTransfer();
        long position = arrivals.arrived() - whole;
        if (givenUp) {
            return false;
        }
        Outlet before = outlet;
        sink.dataIn(this, position, whole);
        if (before != null) {
            before.arrived(position, whole);
        }
        // If the callback has attached the outlet, the outlet already has all received data, including this transfer.
        return outlet != null && beginsToAnnounce();
    }

    private boolean beginsToAnnounce() {
        boolean begins = !announcing;
        announcing = true;
        return begins;
    }

    /** Makes the outlet's readers ready to send the data that has arrived. */
    void announce() {
        announcing = false;
        outlet.announce();
    }

    /** Sends the announced data to the outlet's readers, and releases memory that the sender is waiting for. */
    void send() {
        outlet.send();
        relieveSender();
    }

    /** Asks the outlet to free memory when the sender has no credit for another transfer, or has asked for credit. */
    void relieveSender() {
        Outlet to = outlet;
        long wanted = to == null || overwriting ? 0 : senderWait.wanted(arrivals.arrived());
        if (wanted > 0) {
            to.spaceWanted(wanted);
        }
    }

    /** Tries again to free memory that the sender waits for, and samples the wait: see {@link SenderWait#tick}. */
    void tick(long elapsedMs) {
        relieveSender();
        senderWait.tick(elapsedMs, consumedPosition(), arrivals.arrived());
    }

    /** Gives the pages that an empty buffer no longer uses to the operating system; returns their length in bytes. */
    long returnPages() {
        long position = arrivals.arrived();
        return memory.usesMuch(position) && isRewindable() ? memory.returnPages(position) : 0;
    }

    /** Returns the tracker of the sender's waits for credit. */
    public SenderWait senderWait() {
        return senderWait;
    }

    /** Records that the sender has skipped data; returns true if the outlet has something new to announce. */
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
     * Called when the sender has accepted the subscription.
     *
     * @param word the word from which the sender reads the consumed position; NONE if there is none
     * @return null, or the reason why the outlet cannot pass on this buffer's data
     */
    String onSubscribed(InputTerms terms, RemoteAccess word) {
        if (life.isAgreed()) {
            throw arrivals.violation("accepted the subscription twice");
        }
        overwriting = terms.overwriting();
        life.agree(terms);
        agreed = true;
        if (link.capabilities().operations().contains(Capabilities.Operation.WRITE_WORD)) {
            reports.into(word);
        }
        link.sender().start(this);
        Outlet to = outlet;
        String refusal = to == null ? null : to.refusalOf(terms.overwriting(), terms.lossy());
        if (refusal == null) {
            subscribed().complete(null);
        }
        return refusal;
    }

    /**
     * Called when the sender ends this buffer, or when the connection is lost.
     *
     * @param code the code of the subscription's failure if the sender has not answered yet
     * @param failure null for a graceful end
     */
    void onEnd(TransportException.Code code, String failure, InputSink sink) {
        if (ended) {
            return;
        }
        ended = true;
        boolean awaited = !isSubscribed();
        try {
            if (awaited) {
                subscribed()
                        .completeExceptionally(new TransportException(
                                code, "buffer " + bufferId + " of " + link.peer() + ": " + failure));
            } else if (!givenUp) {
                sink.ended(this, failure);
            }
        } finally {
            if (awaited || outlet != null) {
                giveUp();
            }
        }
    }

    /** Checks the position at which the sender ended the buffer gracefully. */
    void checkEnd(long position) {
        arrivals.checkEnd(position);
    }

    /** Releases the application's hold on the buffer: data that arrives after this call is dropped. Any thread. */
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

    /** Called when no more writes can arrive. */
    void onQuiet() {
        if (life.becomesQuiet()) {
            link.connection().revoke(access);
            unsubscribed().complete(null);
            memory.region().release();
        }
    }

    /** Called when the sender is waiting until all data before {@code position} has been consumed. */
    void onStarving(long position) {
        onFlush(position);
        senderWait.onStarving(position, isLossy());
        relieveSender();
    }

    /** Called when the sender requests a report, to be sent once all data before {@code position} has been consumed. */
    void onFlush(long position) {
        arrivals.checkAsked(position);
        reports.request(position);
        reportIfDue();
    }

    // Consumption.

    /**
     * Marks the oldest {@code length} bytes as consumed.
     *
     * @throws IllegalStateException if the buffer is spliced, because its data counts as consumed once it has been sent
     *     to all subscribers
     */
    public void consume(long length) {
        long consumed = consumedPosition;
        if (outlet != null) {
            throw new IllegalStateException("bufferId=" + bufferId
                    + " is spliced: its data counts as consumed once it has been sent to all subscribers");
        }
        if (length < 0 || length > receivedPosition() - consumed) {
            throw new IllegalArgumentException(
                    "bufferId=" + bufferId + " length=" + length + " received=" + (receivedPosition() - consumed));
        }
        consumedPosition = consumed + length;
        reportIfDue();
    }

    /** Returns the position up to which data has been consumed. */
    public long consumedPosition() {
        Outlet to = outlet;
        return to == null ? consumedPosition : to.consumedPosition();
    }

    /** Returns the position up to which whole deliveries have arrived. */
    public long receivedPosition() {
        return arrivals.received();
    }

    /**
     * Returns the position before which an overwriting buffer's data may have been overwritten. Read the data first,
     * then this position. If the sender places the data, a write that has not been reported yet may have overwritten
     * more.
     */
    public long overwriteLimit() {
        return arrivals.overwriteLimit();
    }

    /** Returns true if the sender overwrites data regardless of consumption. */
    public boolean isOverwriting() {
        return overwriting;
    }

    /** Returns true if the sender does not wait for this subscription, and may skip data instead. */
    public boolean isLossy() {
        return life.terms().lossy();
    }

    /** Returns the position in the sender's buffer at which the data begins; -1 until the sender has stated it. */
    public long startPosition() {
        return life.terms().startPosition();
    }

    /** Returns the end of the sender's data when it accepted the subscription; -1 until the sender has stated it. */
    public long livePosition() {
        return life.terms().livePosition();
    }

    /** Returns true if the sender has accepted the subscription. */
    public boolean isSubscribed() {
        return subscribed().isDone();
    }

    /** Returns true if the application has unsubscribed. */
    public boolean isGivenUp() {
        return givenUp;
    }

    /** Attaches an object of the application to this buffer. Worker only. */
    public void attach(Object kept) {
        attachment = kept;
    }

    /** Returns the object that {@link #attach} stored. Worker only. */
    public Object attachment() {
        return attachment;
    }

    InputState state() {
        return new InputState(
                bufferId,
                link.peer(),
                capacity,
                receivedPosition(),
                consumedPosition(),
                arrivals.transferCount(),
                reports.count(),
                arrivals.lostLength(),
                senderWait.delayMs());
    }

    // The outlet.

    /**
     * Passes arriving data on to an outlet. The outlet immediately receives all data that has not been consumed yet,
     * and holds a lease on the memory. Worker only.
     *
     * @throws IllegalStateException if this buffer already has an outlet, has ended, or has been released
     */
    public void goOnTo(Outlet to) {
        long base;
        synchronized (this) {
            if (outlet != null || ended || givenUp) {
                throw new IllegalStateException(
                        "bufferId=" + bufferId + (outlet == null ? " has ended" : " is already spliced"));
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

    /** Releases the outlet's lease when its readers no longer use the memory. Any thread, once. */
    public void releaseOutlet() {
        memory.region().release();
    }

    /** Returns true if this buffer has an outlet. */
    public boolean isSpliced() {
        return outlet != null;
    }

    /** Called when the outlet has consumed all data before a position. Any thread; fast when no report is due. */
    public void outletConsumed(long position) {
        if (position >= reports.next()) {
            reportIfDue();
        }
    }

    // Credit, as a task.

    /** Requests the last report; {@code onSent} is run on any thread when it has been sent or is not necessary. */
    void reportLast(Runnable onSent) {
        reports.requestLast(onSent);
        link.sender().request(this, FIRST_REQUEST);
    }

    CreditReports reports() {
        return reports;
    }

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
        Runnable last = reports.lastRequest();
        // Once UNSUBSCRIBE has been sent, the tag may belong to another subscription.
        long consumed = life.hasLeft() || overwriting ? -1 : consumedPosition();
        return reports.serve(link.sender(), consumed, last) ? Outcome.IDLE : Outcome.BLOCKED;
    }
}
