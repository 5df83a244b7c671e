package io.rocketbufs.livestream.relay;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a relay. <b>Thread-safety:</b> any thread. */
public final class RelayCounters {
    /** Bytes of media from sources. */
    public final LongAdder receivedBytes = new LongAdder();
    /** Chunks that were complete. */
    public final LongAdder chunks = new LongAdder();
    /** Chunks that were cut off. */
    public final LongAdder truncations = new LongAdder();
    /** Requests and connections that were refused. */
    public final LongAdder refusals = new LongAdder();
}
