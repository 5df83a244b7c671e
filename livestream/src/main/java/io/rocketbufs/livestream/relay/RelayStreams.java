package io.rocketbufs.livestream.relay;

import io.rocketbufs.Connection;
import io.rocketbufs.ROut;
import io.rocketbufs.livestream.Container;
import io.rocketbufs.livestream.DescriptionLayout;
import io.rocketbufs.livestream.RelaySettings;
import io.rocketbufs.livestream.StreamDescription;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of a relay, and the edges to which they are announced.
 *
 * <p><b>Thread-safety:</b> any thread. A thread that holds a stream's lock may acquire the lock of the edges, but not
 * vice versa.
 */
public final class RelayStreams {
    private static final Logger LOG = LoggerFactory.getLogger(RelayStreams.class);
    /** Options of the streams' buffers. The buffers send one chunk at a time and never wait for an edge. */
    private static final BufferOptions OVERWRITING =
            BufferOptions.DEFAULTS.withFlowControl(false).withCoalescing(false);
    /** Time for which a stream's first chunk is kept for edges that have not subscribed yet. */
    private static final long JOIN_MS = 2000;

    private final ROut out;
    private final RelaySettings settings;
    private final RelayCounters counters;
    private final SteadyClock clock = new SteadyClock();
    private final SequenceBases sequenceBases = new SequenceBases(clock::millis);
    private final Refusals refusals = new Refusals(System::nanoTime);
    private final Map<String, RelayStream> byName = new ConcurrentHashMap<>();
    private final Set<Connection> edges = new LinkedHashSet<>();
    private final Map<Integer, RelayStream> announced = new HashMap<>();
    private int lastBufferId;

    RelayStreams(ROut out, RelaySettings settings, RelayCounters counters) {
        this.out = out;
        this.settings = settings;
        this.counters = counters;
    }

    /** Returns the counters. */
    public RelayCounters counters() {
        return counters;
    }

    /**
     * Returns the stream with the given name, creating it if necessary.
     *
     * @param source network address that identifies the source
     * @throws StreamRefusal if the stream has another source or there are too many streams
     */
    public RelayStream open(String name, String source) {
        RelayStream stream = byName.computeIfAbsent(name, missing -> create(missing, source));
        if (!stream.source().equals(source)) {
            throw new StreamRefusal(
                    StreamRefusal.Reason.TAKEN, "stream " + name + " already has a source, at another address");
        }
        return stream;
    }

    /** Returns the stream with the given name, or null if there is none. */
    public RelayStream find(String name) {
        return byName.get(name);
    }

    private RelayStream create(String name, String source) {
        if (byName.size() >= settings.maxStreams()) {
            throw new StreamRefusal(
                    StreamRefusal.Reason.FULL, "there are already " + settings.maxStreams() + " streams");
        }
        int bufferId = nextBufferId();
        out.createBuffer(bufferId, settings.capacity(), OVERWRITING);
        StreamDescription description = new StreamDescription(
                name,
                ThreadLocalRandom.current().nextLong(1, 1L << 32),
                sequenceBases.begin(),
                bufferId,
                settings.capacity(),
                settings.chunkLimit(),
                0,
                Container.MPEG_TS,
                (int) Math.min(Integer.MAX_VALUE, settings.ingest().segmentMs()),
                "",
                new byte[0]);
        LOG.info("Stream {} from {} has begun", name, source);
        return new RelayStream(this, description, source, new ChunkWriter(out, bufferId, settings.chunkLimit()), clock);
    }

    private synchronized int nextBufferId() {
        return ++lastBufferId;
    }

    /** Sends the stream's current description to every edge. */
    void announce(RelayStream stream, boolean isFirst) {
        synchronized (edges) {
            announced.put(stream.description().bufferId(), stream);
            for (Connection edge : edges) {
                if (isFirst) {
                    out.expect(stream.description().bufferId(), edge, JOIN_MS);
                }
                send(edge, stream);
            }
        }
    }

    /**
     * Adds an edge that has connected. Sends it each stream's description immediately and again whenever the
     * description changes.
     */
    void addEdge(Connection edge) {
        synchronized (edges) {
            edges.add(edge);
            announced.values().forEach(stream -> send(edge, stream));
        }
    }

    void removeEdge(Connection edge) {
        synchronized (edges) {
            edges.remove(edge);
        }
    }

    private static void send(Connection edge, RelayStream stream) {
        try {
            edge.sendControlMessage(DescriptionLayout.write(stream.description()));
        } catch (TransportException e) {
            if (e.code() != TransportException.Code.CLOSED) {
                edge.close("cannot announce stream " + stream.name() + ": " + e.getMessage());
            }
        }
    }

    void remove(RelayStream stream, long chunks) {
        sequenceBases.end(stream.description().sequenceBase() + chunks);
        int bufferId = stream.description().bufferId();
        synchronized (edges) {
            announced.remove(bufferId);
        }
        out.removeBuffer(bufferId);
        byName.remove(stream.name(), stream);
        LOG.info("Stream {} has ended", stream.name());
    }

    /** Ends the streams whose sources have been silent for too long. */
    void endSilent() {
        for (RelayStream stream : byName.values()) {
            if (stream.isSilent(settings.ingest().sourceTimeoutMs())) {
                stream.end();
            }
        }
    }

    void endAll() {
        byName.values().forEach(RelayStream::end);
    }

    int edgeCount() {
        synchronized (edges) {
            return edges.size();
        }
    }

    int count() {
        return byName.size();
    }

    /** Records that data from an authorized source was refused. */
    public void refused(String stream, String reason) {
        refusals.add(stream, reason);
    }

    /** Returns the states of all streams sorted by name, including streams for which there are only recent refusals. */
    public List<StreamState> states() {
        Map<String, StreamState> states = new TreeMap<>();
        Map<String, StreamState.Refused> refused = refusals.recent();
        refused.forEach((name, entry) -> states.put(name, StreamState.refusedOnly(name, entry)));
        byName.forEach((name, stream) -> states.put(name, stream.state(refused.get(name))));
        return List.copyOf(states.values());
    }
}
