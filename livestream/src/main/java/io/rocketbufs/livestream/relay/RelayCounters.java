package io.rocketbufs.livestream.relay;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a relay. <b>Thread-safety:</b> any thread. */
public final class RelayCounters {
    /** Bytes of media from sources. */
    public final LongAdder receivedBytes = new LongAdder();
    /** Complete chunks. */
    public final LongAdder chunks = new LongAdder();
    /** Truncated chunks. */
    public final LongAdder truncations = new LongAdder();
    /** Refused requests and connections. */
    public final LongAdder refusals = new LongAdder();
}
