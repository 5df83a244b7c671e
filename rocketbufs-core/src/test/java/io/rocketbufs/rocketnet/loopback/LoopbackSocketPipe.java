package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;

/**
 * A direction whose receiver places the data. The receiver's worker empties a small socket buffer between the two
 * sides.
 *
 * <p>A write is committed once its header fits. Only the last write can be partly in the socket buffer.
 */
final class LoopbackSocketPipe extends LoopbackPipe {
    static final int HEADER_LENGTH = 8;

    /**
     * Maximum number of ranges of a write. A write may wrap around a buffer's end, and each part may cross two windows.
     */
    private static final int MAX_PLACED = 4;

    private final int capacity;
    private final Vecs placed = new Vecs(MAX_PLACED);
    private LoopbackFrame placedFor;
    private int used;
    /**
     * The write that is only partly in the socket buffer. The sender waits for its completion unless the write is
     * withdrawn.
     */
    private LoopbackFrame pending;

    private boolean owed;
    private boolean finishAfterPending;

    LoopbackSocketPipe(LoopbackLink link, LoopbackConnection from, LoopbackConnection to) {
        super(link, from, to, to.loopbackWorker());
        capacity = link.network().options().socketCapacity();
    }

    @Override
    protected synchronized PostResult write(WriteRequest request) {
        if (pending != null || capacity - used < HEADER_LENGTH) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        used += HEADER_LENGTH;
        pending = LoopbackFrame.write(request, faults.dueNs());
        owed = true;
        add(pending);
        return progress() == 1 ? PostResult.SENT : PostResult.POSTED;
    }

    @Override
    protected synchronized PostResult send(ByteBuffer message) {
        int length = HEADER_LENGTH + message.remaining();
        if (pending != null || capacity - used < length) {
            return waitForRoom(PostResult.NO_WINDOW);
        }
        used += length;
        LoopbackFrame frame = LoopbackFrame.control(message, faults.dueNs());
        frame.sent(frame.length());
        add(frame);
        return PostResult.SENT;
    }

    @Override
    synchronized int progress() {
        if (pending == null) {
            return 0;
        }
        int count = Math.min(capacity - used, pending.length() - pending.sent());
        pending.copy(Math.max(0, pending.sent() + count - pending.copied()));
        pending.sent(count);
        used += count;
        kick();
        if (pending.sent() < pending.length()) {
            waitForRoom(PostResult.POSTED);
            return 0;
        }
        if (owed) {
            link.network().checkUnchanged(pending);
        }
        pending = null;
        if (finishAfterPending) {
            addFinish();
        }
        return settle();
    }

    private int settle() {
        int completed = owed ? 1 : 0;
        owed = false;
        return completed;
    }

    @Override
    synchronized int withdraw() {
        if (owed) {
            pending.copy(pending.length() - pending.copied());
            link.network().checkUnchanged(pending);
        }
        return settle();
    }

    @Override
    synchronized void finish() {
        if (pending == null) {
            addFinish();
        } else {
            finishAfterPending = true;
        }
    }

    @Override
    protected synchronized boolean release() {
        boolean whole = pending == null;
        pending = null;
        owed = false;
        if (whole) {
            addFinish();
        }
        return whole;
    }

    @Override
    protected int available(LoopbackFrame frame) {
        return frame.sent() - frame.landed();
    }

    @Override
    protected void land(LoopbackFrame frame, int count) {
        if (frame.kind() == LoopbackFrame.Kind.WRITE && frame.length() > 0 && placedFor != frame) {
            place(frame);
        }
        synchronized (this) {
            if (isFirst(frame)) {
                if (frame.kind() == LoopbackFrame.Kind.WRITE) {
                    frame.scatter(count, placed);
                }
                frame.landed(count);
                used -= count + (frame.complete() && frame.kind() != LoopbackFrame.Kind.FINISH ? HEADER_LENGTH : 0);
                if (pending != null && !owed) {
                    progress();
                }
                roomMade();
            }
        }
    }

    private void place(LoopbackFrame frame) {
        placedFor = frame;
        placed.clear();
        to.tell(handler -> handler.place(frame.immediate(), frame.length(), placed));
    }

    @Override
    protected void arrive(LoopbackFrame frame) {
        to.arrive(frame);
    }

    @Override
    protected void turnEnded() {
        to.arrivalsEnd();
    }
}
