package io.rocketbufs.livestream.edge;

import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import java.util.concurrent.TimeUnit;

/**
 * The counters of a connection that has requested a stream, for display.
 *
 * <p><b>Thread-safety:</b> the connection's thread writes; any thread may read.
 */
final class Viewer {
    private final String address;
    private final long sinceNs = System.nanoTime();
    private volatile String stream;
    private volatile long sentLength;
    private volatile int waitingLength;

    Viewer(String address) {
        this.address = address;
    }

    /** Called when the viewer requests the playlist or a file of a stream. */
    void watches(String requested) {
        stream = requested;
    }

    /** Called when the viewer has requested media, and whenever part of that media has been written to the socket. */
    void progress(int sent, int waiting) {
        // The connection's thread is the only writer.
        sentLength = sentLength + sent;
        waitingLength = waiting;
    }

    PeerFacts facts() {
        long connectedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs);
        return new PeerFacts(address, connectedMs, stream, sentLength, waitingLength, 0);
    }
}
