package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryException;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.SegmentView;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketlog.protocol.WaitMessageLayout;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open segments of one client, and its slots. The client reads both directly from the broker's memory. It can wait
 * for records in several segments at once; a single message then reports that one of the waits is over, and ends all of
 * them.
 *
 * <pre>
 *              reserve              open                 CLOSE
 *   free slot ---------&gt; reserved --------&gt; open -------------------&gt; free slot
 *     ^                     |                 |                         ^
 *     +----- refused -------+                 +----&gt; without segment ---+
 *                                  deleted by retention,     CLOSE
 *                                  and the timeout has expired
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread; {@link #open} waits for the disk, without holding the lock. <i>Ownership:</i>
 * each grant holds its memory until the grant ends, at the latest when the connection ends.
 */
final class OpenSegments {
    private static final Logger LOG = LoggerFactory.getLogger(OpenSegments.class);
    /**
     * How long a client may take to confirm that it has stopped reading, in milliseconds. A well-behaved client stops
     * before it sends CLOSE.
     */
    private static final long REVOKE_TIMEOUT_MS = 5000;

    private final Connection connection;
    private final String client;
    private final ConsumerTerms terms;
    private final OpenSegment[] segments;
    /** The slots that are reserved or in use. */
    private final BitSet taken = new BitSet();

    private MappedFile slotMemory;
    private ByteBuffer slots;
    private Grant slotGrant;
    /** Number of closed segments whose grants have not ended yet. */
    private int endingCount;

    private boolean isClosed;
    private final Runnable endWaitsLater = this::endWaitsLater;
    /** True while {@link #endWaitsLater} is queued on the worker. */
    private final AtomicBoolean isQueued = new AtomicBoolean();

    OpenSegments(Connection connection, String client, ConsumerTerms terms) {
        this.connection = connection;
        this.client = client;
        this.terms = terms;
        this.segments = new OpenSegment[terms.segmentsPerConnection()];
    }

    /**
     * Reserves a slot for a segment.
     *
     * @throws RefusedException if there are too many open segments, either for the client or across all clients
     */
    synchronized int reserve(LogPartition partition) throws RefusedException {
        int slot = taken.nextClearBit(0);
        if (slot >= segments.length || endingCount > segments.length) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    partition.name() + ": this connection already has"
                            + " rocketlog.limits.segments-per-connection=" + segments.length
                            + " open segments",
                    "read fewer partitions with one consumer, or raise the limit");
        }
        if (!terms.tryCount()) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    partition.name() + ": all consumers combined already have"
                            + " rocketlog.limits.open-segments=" + terms.openSegments()
                            + " open segments",
                    "close some of them, or raise the limit");
        }
        taken.set(slot);
        return slot;
    }

    /** Returns the number of slots that are reserved or in use. */
    synchronized int count() {
        return taken.cardinality();
    }

    /** Frees a reserved slot that contains no segment. */
    synchronized void cancel(int slot) {
        taken.clear(slot);
        terms.uncount();
    }

    /**
     * Opens a segment in a reserved slot. If the requested first record was deleted, the segment starts with the oldest
     * record.
     *
     * @param topic the topic of the partition
     * @param value an offset, or a time in milliseconds since 1970, depending on the kind
     * @throws RefusedException if the segment cannot be opened; contains the reason. The slot is then free
     */
    OpenedSegment open(int slot, LogPartition partition, LogTopic topic, StartKind kind, long value)
            throws RefusedException {
        requireNotDeleted(slot, partition);
        SegmentView view = null;
        Grant grant = null;
        OpenSegment opened = null;
        try {
            view = partition.view(offset(partition, kind, value));
            if (view == null) {
                throw new RefusedException(
                        LogRefusal.NO_SUCH_OFFSET,
                        partition.name() + ": offset=" + value + " is beyond the end of the log, which is "
                                + partition.nextOffset(),
                        "begin with earliest, latest, or an offset up to the end");
            }
            createSlots();
            grant = connection.grant(view.region(), 0, view.region().length(), Set.of(Right.READ), GrantCallback.NONE);
            closeAfter(grant, view);
            opened = add(new OpenSegment(partition, view, grant, slots, slot, this::onDeleted, this::onReady));
        } catch (IOException | LogException | MemoryException | TransportException e) {
            throw new RefusedException(
                    LogRefusal.STORAGE,
                    partition.name() + ": the segment cannot be opened: " + Reason.of(e),
                    "fix the cause at the broker, then read again");
        } finally {
            if (opened == null) {
                giveUp(slot, view, grant);
            }
        }
        partition.addReader(opened);
        if (!isOpen(opened)) { // closed in the meantime
            partition.removeReader(opened);
        }
        return new OpenedSegment(
                slot,
                topic.partitions().size(),
                view.baseOffset(),
                view.offset(),
                view.position(),
                partition.nextOffset(),
                partition.firstOffset(),
                partition.ringSegmentLength(),
                opened.grant().description(),
                slotGrant.description(),
                topic.id());
    }

    /** Refuses to open a segment if its topic was deleted after the request had arrived. */
    private void requireNotDeleted(int slot, LogPartition partition) throws RefusedException {
        if (partition.isDeleted()) {
            cancel(slot);
            throw new RefusedException(
                    LogRefusal.NO_SUCH_TOPIC,
                    partition.name() + ": the topic was deleted",
                    "create it again, and open a new consumer");
        }
    }

    private static long offset(LogPartition partition, StartKind kind, long value) throws RefusedException {
        if (value < 0 && kind == StartKind.OFFSET) {
            throw new RefusedException(
                    LogRefusal.INVALID,
                    partition.name() + ": offset=" + value + " is negative",
                    "begin with earliest, latest, or an offset of at least 0");
        }
        return switch (kind) {
            case EARLIEST -> partition.startOffset();
            case LATEST -> partition.nextOffset();
            case TIME -> partition.offsetOf(value);
            case OFFSET -> value;
        };
    }

    private synchronized OpenSegment add(OpenSegment opened) {
        requireOpen();
        SlotLayout.clear(slots, opened.slot());
        segments[opened.slot()] = opened;
        return opened;
    }

    private synchronized boolean isOpen(OpenSegment each) {
        return segments[each.slot()] == each;
    }

    private void requireOpen() {
        if (isClosed) {
            throw new TransportException(TransportException.Code.CLOSED, client + " has disconnected");
        }
    }

    /**
     * Closes a view once the client can no longer access its memory. Until then, the log replaces pages that the file
     * no longer contains.
     */
    private void closeAfter(Grant grant, SegmentView view) {
        grant.end().thenRun(() -> terms.execute(view::close));
    }

    /** Cleans up after a failure to open a segment. */
    private void giveUp(int slot, SegmentView view, Grant grant) {
        cancel(slot);
        if (grant == null) {
            if (view != null) {
                view.close();
            }
        } else {
            grant.revoke(0);
        }
    }

    private synchronized void createSlots() throws IOException {
        requireOpen();
        if (slotMemory == null) {
            slotMemory = MappedFile.memory("rocketlog-slots", SlotLayout.LENGTH);
            slots = slotMemory.region().window(0, SlotLayout.LENGTH);
        }
        if (slotGrant == null) {
            slotGrant =
                    connection.grant(slotMemory.region(), 0, SlotLayout.LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        }
    }

    /**
     * Starts the waits that a WAIT message requests. Responds immediately if one of these waits is already over.
     *
     * @throws TransportException if the client has no such segment, or an offset is negative
     */
    void await(ByteBuffer wait) {
        boolean isReady = false;
        int count = WaitMessageLayout.count(wait);
        synchronized (this) {
            for (int i = 0; i < count; i++) {
                long offset = WaitMessageLayout.offset(wait, i);
                if (offset < 0) {
                    throw new TransportException(
                            TransportException.Code.PROTOCOL, "offset=" + offset + " of a WAIT message is negative");
                }
                OpenSegment awaited = segment(WaitMessageLayout.slot(wait, i));
                awaited.await(offset);
                isReady |= awaited.isReady(); // after the wait has started, so that no record is missed
            }
        }
        if (isReady) {
            endWaits();
        }
    }

    /**
     * Called by any thread when one of the waits is over. The connection's worker then ends the waits, so that the
     * appending thread neither sends a message nor waits for a lock.
     */
    private void onReady() {
        if (!isQueued.getAndSet(true)) {
            connection.execute(endWaitsLater);
        }
    }

    private void endWaitsLater() {
        isQueued.set(false); // first: a later call may belong to a newer wait
        endWaits();
    }

    /** Ends all waits, and notifies the client. Does nothing if the client does not wait. */
    private void endWaits() {
        boolean hasWaited = false;
        synchronized (this) {
            for (OpenSegment each : segments) {
                hasWaited |= each != null && each.endWait();
            }
        }
        if (hasWaited) {
            tellReady();
        }
    }

    private void tellReady() {
        try {
            connection.sendControlMessage(WaitMessageLayout.ready());
        } catch (TransportException e) { // the client has disconnected, or does not read its responses
            LOG.debug("{} cannot be notified of records: {}", client, e.getMessage());
            connection.close("the client does not read the broker's messages");
        }
    }

    private OpenSegment segment(int slot) {
        if (slot < 0 || slot >= segments.length || segments[slot] == null) {
            throw new TransportException(TransportException.Code.PROTOCOL, "slot=" + slot + " has no open segment");
        }
        return segments[slot];
    }

    /**
     * Closes a segment and frees its slot.
     *
     * @throws TransportException if the client has no such segment
     */
    synchronized void close(int slot) {
        OpenSegment closed = segment(slot);
        segments[slot] = null;
        closed.endWait();
        cancel(slot);
        endingCount++;
        closed.end();
        closed.partition().countClosed();
        closed.grant().revoke(REVOKE_TIMEOUT_MS).thenRun(this::onEnded);
    }

    private synchronized void onEnded() {
        endingCount--;
    }

    /**
     * Called when a segment was deleted. If retention deleted the segment, the client may read it until a timeout
     * expires. If the segment is lost, access ends immediately.
     */
    private void onDeleted(OpenSegment segment) {
        if (segment.isLost()) {
            take(segment);
        } else {
            terms.later(() -> expire(segment));
        }
    }

    /** Ends access to a lost segment. The slot stays occupied until CLOSE arrives. */
    private synchronized void take(OpenSegment segment) {
        if (!isClosed && segments[segment.slot()] == segment) {
            segment.endForConsumer();
            segment.grant().revoke(REVOKE_TIMEOUT_MS);
            onReady();
        }
    }

    /**
     * Ends access to a deleted segment, so that its disk space can be freed. The slot stays occupied until CLOSE
     * arrives.
     */
    private synchronized void expire(OpenSegment segment) {
        if (isClosed || segments[segment.slot()] != segment || segment.isLost()) {
            return;
        }
        LOG.warn(
                "{} has not released a segment of {} within {} ms of its deletion by retention: offset={}",
                client,
                segment.partition().name(),
                terms.deletedSegmentTimeoutMs(),
                segment.baseOffset());
        segment.partition().countRevoked();
        segment.endForConsumer();
        segment.grant().revoke(REVOKE_TIMEOUT_MS);
        onReady();
    }

    /** Closes all segments and the slots. Called when the connection has ended or is about to end. */
    synchronized void close() {
        isClosed = true;
        for (int i = 0; i < segments.length; i++) {
            if (segments[i] != null) {
                segments[i].endWait();
                segments[i].end();
                segments[i].partition().countClosed();
                segments[i] = null;
                cancel(i);
            }
        }
        if (slotMemory != null) {
            slotMemory.close();
            slotMemory = null;
        }
    }
}
