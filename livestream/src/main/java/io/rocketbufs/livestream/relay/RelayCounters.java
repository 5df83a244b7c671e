package io.rocketbufs.livestream.relay;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a relay. <b>Thread-safety:</b> any thread. */
public final class RelayCounters {
    /** Bytes of media received from sources. */
    public final LongAdder receivedBytes = new LongAdder();
    /** Complete chunks received from sources. */
    public final LongAdder chunks = new LongAdder();
    /** Chunks whose source stopped sending before the end of the chunk. */
    public final LongAdder truncations = new LongAdder();
    /** Refused requests and connections of sources and edges. */
    public final LongAdder refusals = new LongAdder();
}
