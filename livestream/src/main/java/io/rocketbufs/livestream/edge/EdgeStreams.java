package io.rocketbufs.livestream.edge;

import io.rocketbufs.livestream.StreamDescription;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The streams at an edge, by name.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class EdgeStreams {
    private final Map<String, EdgeStream> byName = new ConcurrentHashMap<>();

    /**
     * Applies a description from the relay to its stream, creating the stream if necessary. The lock of the map entry
     * prevents {@link #tick} from removing the stream concurrently.
     */
    EdgeStream describe(StreamDescription description, EdgeBuffer buffer) {
        return byName.compute(description.name(), (name, known) -> {
            EdgeStream stream = known == null ? new EdgeStream(name) : known;
            stream.describe(description, buffer);
            return stream;
        });
    }

    /** Returns the stream with the given name, or null if there is none. */
    EdgeStream find(String name) {
        return byName.get(name);
    }

    /** Returns all streams, sorted by name. */
    List<EdgeStream> all() {
        return byName.values().stream()
                .sorted(Comparator.comparing(EdgeStream::name))
                .toList();
    }

    int count() {
        return byName.size();
    }

    /** Applies the timeouts to all streams. */
    void tick(long relayTimeoutMs, long keepMs) {
        byName.keySet()
                .forEach(name -> byName.computeIfPresent(
                        name, (same, stream) -> stream.tick(relayTimeoutMs, keepMs) ? null : stream));
    }

    void close() {
        byName.values().forEach(EdgeStream::release);
        byName.clear();
    }
}
