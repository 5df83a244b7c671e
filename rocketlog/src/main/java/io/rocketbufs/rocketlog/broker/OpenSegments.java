package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogException;
import io.rocketbufs.rocketlog.log.SegmentView;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * The segments that one client has open, and its slots. The client reads both without a call of this class.
 *
 * <p><i>Thread-safety:</i> any thread; opening may wait for the disk. <i>Ownership:</i> each grant holds its memory
 * until it ends, at the latest with the connection.
 */
final class OpenSegments {
    /** Time for a client to confirm that it has stopped reading; an honest one has stopped before it sends CLOSE. */
    private static final long REVOKE_TIMEOUT_MS = 10_000;

    private final Connection connection;
    private final OpenSegment[] segments;
    private MappedFile slotMemory;
    private ByteBuffer slots;
    private Grant slotGrant;
    /** Grants of closed segments that have not ended. */
    private int ending;

    private boolean isClosed;

    /** @param most maximum number of segments, at most {@link SlotLayout#COUNT} */
    OpenSegments(Connection connection, int most) {
        this.connection = connection;
        this.segments = new OpenSegment[most];
    }

    /**
     * Opens the segment with an offset, or with the oldest record if the offset has been deleted.
     *
     * @param offset also {@link LogMessageLayout#OFFSET_EARLIEST} or {@link LogMessageLayout#OFFSET_LATEST}
     */
    synchronized OpenedSegment open(LogPartition partition, long offset) throws RefusedException {
        int slot = freeSlot(partition);
        try {
            createSlots();
            SegmentView view = view(partition, offset);
            try {
                return open(slot, partition, view);
            } catch (RuntimeException | Error e) {
                view.close();
                throw e;
            }
        } catch (IOException | LogException | TransportException | IllegalStateException e) {
            throw new RefusedException(
                    LogRefusal.STORAGE, partition.name() + ": the segment cannot be opened: " + Reason.of(e));
        }
    }

    private int freeSlot(LogPartition partition) throws RefusedException {
        int slot = 0;
        while (slot < segments.length && segments[slot] != null) {
            slot++;
        }
        if (isClosed || slot + ending >= segments.length) {
            throw new RefusedException(
                    LogRefusal.LIMIT,
                    partition.name() + ": this connection has as many open segments as"
                            + " rocketlog.limits.segments-per-connection=" + segments.length
                            + " allows; close one, or raise the limit");
        }
        return slot;
    }

    private void createSlots() throws IOException {
        if (slotMemory == null) {
            slotMemory = MappedFile.memory("rocketlog-slots", SlotLayout.LENGTH);
            slots = slotMemory.region().window(0, SlotLayout.LENGTH);
            slotGrant =
                    connection.grant(slotMemory.region(), 0, SlotLayout.LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        }
    }

    private static SegmentView view(LogPartition partition, long offset) throws RefusedException {
        long wanted = offset;
        if (offset == LogMessageLayout.OFFSET_EARLIEST) {
            wanted = partition.startOffset();
        } else if (offset == LogMessageLayout.OFFSET_LATEST) {
            wanted = partition.nextOffset();
        } else if (offset < 0) {
            throw new RefusedException(LogRefusal.INVALID, partition.name() + ": offset=" + offset + " is negative");
        }
        SegmentView view = partition.view(wanted);
        if (view == null) {
            throw new RefusedException(
                    LogRefusal.NO_SUCH_OFFSET,
                    partition.name() + ": offset=" + offset + " is beyond the end of the log, which is "
                            + partition.nextOffset() + "; begin with earliest, latest, or an offset before the end");
        }
        return view;
    }

    private OpenedSegment open(int slot, LogPartition partition, SegmentView view) {
        Grant grant =
                connection.grant(view.region(), 0, view.region().length(), Set.of(Right.READ), GrantCallback.NONE);
        SlotLayout.clear(slots, slot);
        segments[slot] = new OpenSegment(partition, view, grant, slots, slot);
        partition.addReader(segments[slot]);
        return new OpenedSegment(
                slot, view.baseOffset(), view.offset(), view.position(), grant.description(), slotGrant.description());
    }

    /**
     * Closes a segment.
     *
     * @throws TransportException if the client has no such segment
     */
    synchronized void close(int slot) {
        if (slot < 0 || slot >= segments.length || segments[slot] == null) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, "slot=" + slot + " is not that of an open segment");
        }
        OpenSegment closed = segments[slot];
        segments[slot] = null;
        closed.close();
        ending++;
        closed.grant().revoke(REVOKE_TIMEOUT_MS).thenRun(this::onEnded);
    }

    private synchronized void onEnded() {
        ending--;
    }

    /** Closes everything, when the connection has ended or will end. */
    synchronized void close() {
        isClosed = true;
        for (int i = 0; i < segments.length; i++) {
            if (segments[i] != null) {
                segments[i].close();
                segments[i] = null;
            }
        }
        if (slotMemory != null) {
            slotMemory.close();
            slotMemory = null;
        }
    }
}
