package io.rocketbufs.livestream.edge;

import java.util.concurrent.atomic.LongAdder;

/** The counters of an edge. <b>Thread-safety:</b> any thread. */
final class EdgeCounters {
    /** Chunks received from the relay. */
    final LongAdder chunks = new LongAdder();
    /** Bytes of media received from the relay. */
    final LongAdder receivedBytes = new LongAdder();
    /** Chunks received from the relay that were invalid or already overwritten. */
    final LongAdder malformed = new LongAdder();
    /** Gaps in the received data, where the relay skipped chunks because this edge was too slow or joined too late. */
    final LongAdder gaps = new LongAdder();
    /** Bytes in these gaps. */
    final LongAdder lostBytes = new LongAdder();
    /** Chunks completely delivered to viewers. */
    final LongAdder delivered = new LongAdder();
    /** Bytes of media delivered to viewers. */
    final LongAdder deliveredBytes = new LongAdder();
    /** Chunks that were overwritten while being sent to a viewer; the viewer's connection is then closed. */
    final LongAdder overwritten = new LongAdder();
    /** Viewer connections refused because the maximum number was reached. */
    final LongAdder refusals = new LongAdder();

    /** Requests for chunks that had already been overwritten. */
    final LongAdder gone = new LongAdder();
}
