package io.rocketbufs.livestream.relay;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The recent refusals of each stream. Many sources ignore responses, so operators need this list to see why a stream
 * does not arrive.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class Refusals {
    /** Maximum number of stream names. When it is exceeded, the stream with the oldest last refusal is removed. */
    static final int MAX_NAMES = 100;

    static final long KEEP_NS = TimeUnit.MINUTES.toNanos(10);

    private final LongSupplier nanoTime;
    private final Map<String, StreamRefusals> byName = new LinkedHashMap<>(16, 0.75f, true);

    private record StreamRefusals(long count, String reason, long lastNs) {}

    Refusals(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    synchronized void add(String stream, String reason) {
        StreamRefusals before = byName.get(stream);
        byName.put(stream, new StreamRefusals(before == null ? 1 : before.count + 1, reason, nanoTime.getAsLong()));
        if (byName.size() > MAX_NAMES) {
            byName.remove(byName.keySet().iterator().next());
        }
    }

    /** Returns the refusals of the last ten minutes, by stream name. */
    synchronized Map<String, StreamState.Refused> recent() {
        long now = nanoTime.getAsLong();
        byName.values().removeIf(entry -> now - entry.lastNs > KEEP_NS);
        Map<String, StreamState.Refused> all = new TreeMap<>();
        byName.forEach((name, entry) -> all.put(
                name,
                new StreamState.Refused(entry.count, entry.reason, TimeUnit.NANOSECONDS.toMillis(now - entry.lastNs))));
        return all;
    }
}
