package io.rocketbufs.rbmq.client;

import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Segment;
import java.util.Iterator;
import java.util.Set;

/**
 * Reads the messages in a subscriber's buffers. Messages are read when they arrive, or later if one of the buffer's
 * subscriptions is paused or still receives older messages. Gaps and the ends of buffers wait together with the
 * messages.
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
        /** Called when a malformed frame makes the rest of the buffer unreadable. */
        void onMalformed(PublisherBuffer buffer, String what);

        /** Called when a buffer has ended and all its messages have been read. */
        void onEnd(PublisherBuffer buffer, Unread.End end);
    }

    BufferReader(RIn in, GapReports reports, Owner owner) {
        this.in = in;
        this.connection = in.connection();
        this.reports = reports;
        this.owner = owner;
    }

    // Arriving data.

    /** Reads a transfer, unless earlier data or events in the buffer are still waiting. */
    void onData(PublisherBuffer buffer, Segment transfer) {
        if (buffer.isBehind()) {
            readOn(buffer);
        } else {
            read(buffer, transfer, transfer.length(), true);
        }
    }

    /** Reports a gap that follows the data that has arrived. If messages wait before the gap, it is reported later. */
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

    /** Reads all available messages, because a subscription that is not paused is woken only by new data. */
    private void readOnInHistory(PublisherBuffer buffer) {
        if (buffer.isInHistory()) {
            readOn(buffer);
        }
    }

    /** Returns true if an event must wait because messages are waiting or a subscription is paused. */
    private static boolean waitsNow(PublisherBuffer buffer) {
        if (buffer.isPaused()) {
            buffer.fallBehind();
        }
        return buffer.isBehind();
    }

    /** Ends a buffer once all its waiting messages have been read. */
    void onBufferEnd(PublisherBuffer buffer, Unread.End end) {
        if (waitsNow(buffer)) {
            buffer.unread().endLater(end);
            readOnInHistory(buffer);
        } else {
            owner.onEnd(buffer, end);
        }
    }

    // Waiting data.

    /**
     * Reads the data that is waiting for a subscription, until the subscription accepts no more data. The buffers take
     * turns, so that a fast publisher does not block the messages of other publishers. Each task reads one buffer, so
     * that the worker can serve other connections and send heartbeats in between.
     */
    void resume(Subscription subscription) {
        resume(subscription, subscription.request().behind().size());
    }

    private void resume(Subscription subscription, int count) {
        Set<PublisherBuffer> behind = subscription.request().behind();
        // When the connection ended, its buffers ended too.
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
     * @param isWhole true if these bytes should consist of whole messages
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
     * Reads the messages that wait in a buffer until a subscription is paused again. Does nothing if the buffer is not
     * behind.
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
                // A view of maximum length may end within a message. The next view then contains the whole message.
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
            buffer.endHistory(); // before a gap at this position, because all subscriptions missed its messages
        } else {
            Unread.Stop<Subscription> stop = buffer.unread().next();
            reports.gapAt(buffer, stop.position(), stop.lostLength());
            buffer.setRecipients();
        }
    }

    /** Reads or skips the data that waits before a stop; returns false if more data must arrive first. */
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
