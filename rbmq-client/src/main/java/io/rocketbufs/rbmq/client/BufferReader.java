package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import java.util.Iterator;
import java.util.Set;

/**
 * Reads the messages in a subscriber's buffers: when they arrive, or later if a subscription to them is paused or still
 * receives older ones. Gaps and the ends of buffers wait with them.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class BufferReader {
    private final RIn in;
    private final Connection connection;
    private final GapReports reports;
    private final Owner owner;

    /** The owner of the buffers. */
    interface Owner {
        /** Called when a frame is malformed, so that the rest of the buffer cannot be read. */
        void onMalformed(PublisherBuffer buffer, String what);

        /** Called when a buffer has ended, and everything in it has been read. */
        void onEnd(PublisherBuffer buffer, Unread.End end);
    }

    BufferReader(RIn in, GapReports reports, Owner owner) {
        this.in = in;
        this.connection = in.connection();
        this.reports = reports;
        this.owner = owner;
    }

    // Arriving data.

    /** Reads a transfer, unless something in the buffer waits before it. */
    void onData(PublisherBuffer buffer, Segment transfer) {
        if (buffer.isBehind()) {
            readOn(buffer);
        } else {
            read(buffer, transfer, transfer.length(), true);
        }
    }

    /** Reports a gap after the data that has arrived, or later if messages wait before it. */
    void onGap(PublisherBuffer buffer, long lost) {
        long position = in.receivedPosition(buffer.bufferId());
        if (buffer.isInHistory()) {
            buffer.history().onGap(position, lost);
        }
        if (waitsNow(buffer)) {
            buffer.unread().addGap(position, lost);
            readOnInHistory(buffer);
        } else {
            reports.gapAt(buffer, position, lost);
        }
    }

    /** Reads all available messages, because only data wakes a subscription that is not paused. */
    private void readOnInHistory(PublisherBuffer buffer) {
        if (buffer.isInHistory()) {
            readOn(buffer);
        }
    }

    /** Returns true when an event must wait, because messages wait or a subscription is paused. */
    private static boolean waitsNow(PublisherBuffer buffer) {
        if (buffer.isPaused()) {
            buffer.fallBehind();
        }
        return buffer.isBehind();
    }

    /** Ends a buffer once what waits in it has been read. */
    void onBufferEnd(PublisherBuffer buffer, Unread.End end) {
        if (waitsNow(buffer)) {
            buffer.unread().endLater(end);
            readOnInHistory(buffer);
        } else {
            owner.onEnd(buffer, end);
        }
    }

    // Data that has waited.

    /**
     * Reads the data that has waited for a subscription, until the subscription takes no more. The buffers take turns,
     * so that a fast publisher does not block the messages of the others. Each task reads one buffer, so that the
     * worker serves other connections in between, and sends heartbeats.
     */
    void resume(Subscription subscription) {
        resume(subscription, subscription.request().behind().size());
    }

    private void resume(Subscription subscription, int count) {
        Set<PublisherBuffer> behind = subscription.request().behind();
        // The end of the connection has ended the buffers.
        if (count > 0 && !behind.isEmpty() && subscription.isTaking() && connection.isOpen()) {
            PublisherBuffer next = behind.iterator().next();
            behind.remove(next);
            behind.add(next);
            readOn(next);
            connection.execute(() -> resume(subscription, count - 1));
        }
    }

    /** Reads the messages that wait in several buffers, each in a separate task. */
    void readOn(Iterator<PublisherBuffer> waiting) {
        while (waiting.hasNext() && connection.isOpen()) {
            PublisherBuffer buffer = waiting.next();
            if (buffer.isBehind()) {
                readOn(buffer);
                connection.execute(() -> readOn(waiting));
                return;
            }
        }
    }

    // Messages.

    /**
     * Reads the first {@code length} bytes of a segment.
     *
     * @param isWhole true when these bytes should consist of whole messages
     */
    private void read(PublisherBuffer buffer, Segment segment, long length, boolean isWhole) {
        FrameReader frames = buffer.frames();
        FrameReader.Ending ending = frames.read(segment, length);
        if (ending == FrameReader.Ending.COMPLETE) {
            in.dataConsumed(buffer.bufferId(), length);
        } else if (ending == FrameReader.Ending.STOPPED) {
            onStopped(buffer, length);
        } else if (isWhole || frames.index() == 0) {
            owner.onMalformed(buffer, frames.describeMalformed());
        } else {
            in.dataConsumed(buffer.bufferId(), frames.index());
        }
    }

    private void onStopped(PublisherBuffer buffer, long length) {
        boolean drops = buffer.drops();
        if (!drops) {
            buffer.fallBehind();
        }
        in.dataConsumed(buffer.bufferId(), drops ? length : buffer.frames().index());
    }

    /**
     * Reads the messages that wait in a buffer until a subscription is paused again. Does nothing for a buffer that is
     * not behind.
     */
    private void readOn(PublisherBuffer buffer) {
        boolean isWaiting = false;
        while (!isWaiting && buffer.isBehind() && (buffer.frames().takes() || buffer.drops())) {
            Unread.End end = buffer.unread().end();
            Segment waiting = in.bufferRef(buffer.bufferId());
            long beforeStop = buffer.nextStop() - waiting.position();
            if (beforeStop <= 0) {
                passStop(buffer, waiting.position());
            } else if (waiting.length() > 0) {
                // A view of the longest possible length may end within a message, which the next view contains whole.
                isWaiting = !readOn(buffer, waiting, Math.min(waiting.length(), beforeStop), beforeStop);
            } else if (buffer.isInHistory()) {
                isWaiting = end == null;
                if (!isWaiting) {
                    buffer.endHistory(); // the buffer has ended before the end of its history
                }
            } else {
                buffer.catchUp();
                if (end != null) {
                    owner.onEnd(buffer, end);
                }
            }
        }
    }

    private void passStop(PublisherBuffer buffer, long position) {
        if (buffer.isAtEndOfHistory(position)) {
            buffer.endHistory(); // before a gap there, which everyone has missed
        } else {
            Unread.Stop<Subscription> stop = buffer.unread().next();
            reports.gapAt(buffer, stop.position(), stop.lostLength());
            buffer.setRecipients();
        }
    }

    /** Reads or skips the data that waits before a stop; returns false when nothing can be done before more arrives. */
    private boolean readOn(PublisherBuffer buffer, Segment waiting, long length, long beforeStop) {
        if (!buffer.isInHistory() || !buffer.history().skips()) {
            read(buffer, waiting, length, false);
            return true;
        }
        long older = buffer.history().skip(waiting, length, length == beforeStop);
        in.dataConsumed(buffer.bufferId(), older);
        return older > 0 || !buffer.history().skips();
    }
}
