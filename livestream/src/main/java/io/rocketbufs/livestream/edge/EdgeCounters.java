package io.rocketbufs.livestream.edge;

import java.util.concurrent.atomic.LongAdder;

/** What an edge counts. <b>Thread-safety:</b> any thread. */
final class EdgeCounters {
    /** Chunks that came from the relay. */
    final LongAdder chunks = new LongAdder();
    /** Bytes of media that came from the relay. */
    final LongAdder receivedBytes = new LongAdder();
    /** What came from the relay and was no chunk, or was none any more. */
    final LongAdder malformed = new LongAdder();
    /** Chunks that the relay left out, because this edge was too slow or came too late. */
    final LongAdder gaps = new LongAdder();
    /** Chunks that went to viewers as a whole. */
    final LongAdder delivered = new LongAdder();
    /** Bytes of media that went to viewers. */
    final LongAdder deliveredBytes = new LongAdder();
    /** Chunks that were overwritten while they went to a viewer, whose connection was closed for it. */
    final LongAdder overwritten = new LongAdder();
    /** Connections of viewers that were too many. */
    final LongAdder refusals = new LongAdder();

    /** Chunks that a viewer wanted and that were not there any more. */
    final LongAdder gone = new LongAdder();
}
