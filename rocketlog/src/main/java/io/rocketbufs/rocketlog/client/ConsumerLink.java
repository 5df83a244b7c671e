package io.rocketbufs.rocketlog.client;

import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.util.concurrent.CompletableFuture;

/**
 * A consumer's connection to the broker: it opens segments, and reads memory. When the connection ends, everything that
 * waits fails with a {@link TransportException}.
 *
 * <p><i>Thread-safety:</i> one thread, and the connection's worker for its events.
 */
final class ConsumerLink implements RemoteMemoryCallback {
    private final LogClientSettings settings;
    private LogConnection connection;
    private RemoteMemory slots;
    private int slot;
    private RemoteMemory segment;
    /** Number of reads that have completed. */
    private long completed;

    private Throwable failure;
    private boolean hasEnded;

    private ConsumerLink(LogClientSettings settings) {
        this.settings = settings;
    }

    /**
     * Connects, and waits until the broker has accepted the client.
     *
     * @throws TransportException if the broker cannot be reached
     * @throws LogClientException if it does not answer in time
     */
    static ConsumerLink connect(RocketBufs rocketBufs, LogClientSettings settings) {
        ConsumerLink link = new ConsumerLink(settings);
        CompletableFuture<LogConnection> connecting =
                LogConnection.connect(rocketBufs, settings, begun -> {}, link::onEnded);
        link.connection = LogConnection.await(connecting, settings);
        return link;
    }

    /** Opens the segment with an offset instead of the one that was open before. */
    OpenedSegment open(String topic, int partition, long offset) {
        OpenedSegment opened = LogMessageLayout.openedSegment(LogConnection.await(
                connection.ask(correlation -> LogMessageLayout.open(correlation, topic, partition, offset)), settings));
        if (segment != null) {
            connection.connection().sendControlMessage(LogMessageLayout.close(0, slot));
        }
        if (slots == null) {
            slots = connection.connection().remoteMemory(opened.slots(), this);
        }
        segment = connection.connection().remoteMemory(opened.grant(), this);
        slot = opened.slot();
        return opened;
    }

    /** Reads the word of the open segment into a region. Waits until it is there. */
    void readSlot(Region into, long intoOffset) throws InterruptedException {
        read(slots, SlotLayout.place(slot), Long.BYTES, into, intoOffset);
    }

    /** Reads a part of the open segment into a region. Waits until it is there. */
    void readSegment(long position, int length, Region into, long intoOffset) throws InterruptedException {
        read(segment, position, length, into, intoOffset);
    }

    private synchronized void read(RemoteMemory memory, long place, int length, Region into, long intoOffset)
            throws InterruptedException {
        long awaited = completed + 1;
        Posted posted = memory.read(place, length, into, intoOffset, 0);
        while (!hasEnded && posted == Posted.NO_WINDOW) {
            wait();
            posted = memory.read(place, length, into, intoOffset, 0);
        }
        while (!hasEnded && posted == Posted.POSTED && completed < awaited) {
            wait();
        }
        if (completed < awaited) {
            throw lost();
        }
    }

    private TransportException lost() {
        return failure instanceof TransportException known
                ? known
                : new TransportException(
                        TransportException.Code.CLOSED,
                        "the connection to " + connection.connection().peer() + " has been closed");
    }

    @Override
    public synchronized void onCompleted(long context, long value) {
        completed++;
        notifyAll();
    }

    @Override
    public synchronized void onSpace() {
        notifyAll();
    }

    private synchronized void onEnded(Throwable cause) {
        failure = cause;
        hasEnded = true;
        notifyAll();
    }

    /** Closes the connection gracefully, and waits until it has ended, but not for long. */
    void close() {
        connection.closeAndWait();
    }
}
