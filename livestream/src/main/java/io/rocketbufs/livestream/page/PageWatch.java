package io.rocketbufs.livestream.page;

import io.rocketbufs.livestream.page.PageReading.PeerReading;
import io.rocketbufs.livestream.page.PageReading.StreamReading;
import io.rocketbufs.livestream.page.ServerFacts.PeerFacts;
import io.rocketbufs.livestream.page.ServerFacts.StreamFacts;
import io.rocketbufs.web.HistorySampler;
import io.rocketbufs.web.SampleHistory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A periodic reader that reads the counters of a relay or an edge once a second. The operator page shows the last
 * reading, so its cost does not depend on the number of operators, and the history is complete even when the page is
 * first opened.
 *
 * <p><b>Thread-safety:</b> one timer thread reads the counters; any thread may get the last reading and the history.
 */
public final class PageWatch {
    private static final long EVERY_MS = 1000;
    private static final int TEN_MINUTES = 600;
    /**
     * Time after which an edge or a viewer counts as slow if it receives nothing even though data is waiting for it.
     */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(2);

    private final Supplier<ServerFacts> facts;
    private final SampleHistory history =
            new SampleHistory(TEN_MINUTES, "inBytesPerSecond", "outBytesPerSecond", "behindSeconds");
    private Map<String, Meter> streams = new HashMap<>();
    private Map<String, PeerWatch> peers = new HashMap<>();
    /** Time of the previous reading. */
    private long lastNs;

    private Meter in;
    private Meter out;
    private volatile PageReading reading;

    /**
     * Creates a reader that has not started yet.
     *
     * @param facts supplies the current counters
     */
    public PageWatch(Supplier<ServerFacts> facts) {
        this.facts = facts;
    }

    /** Takes the first reading immediately, and further readings on the given timer until the timer is shut down. */
    public void start(ScheduledExecutorService timer) {
        new HistorySampler(EVERY_MS, this::read, (task, delayMs) -> schedule(timer, task, delayMs), System::nanoTime)
                .run();
    }

    private static void schedule(ScheduledExecutorService timer, Runnable task, long delayMs) {
        try {
            timer.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            if (!timer.isShutdown()) {
                throw e;
            }
        }
    }

    /** Reads the counters at the given time. */
    void read(long nowNs) {
        ServerFacts now = facts.get();
        boolean isFirst = in == null;
        if (isFirst) {
            lastNs = nowNs;
            in = new Meter(now.receivedBytes(), nowNs);
            out = new Meter(now.sentBytes(), nowNs);
        } else {
            in.add(now.receivedBytes(), nowNs);
            out.add(now.sentBytes(), nowNs);
        }
        PageReading next = new PageReading(
                now,
                TimeUnit.NANOSECONDS.toMillis(in.windowNs()),
                in.rate(),
                out.rate(),
                readStreams(now, nowNs),
                readPeers(now, nowNs));
        if (!isFirst) {
            StreamFacts latest = next.latest();
            history.add(nowNs, in.rate(), out.rate(), latest == null ? 0 : latest.behindMs() / 1e3);
        }
        reading = next;
        lastNs = nowNs;
    }

    private List<StreamReading> readStreams(ServerFacts now, long nowNs) {
        Map<String, Meter> former = streams;
        streams = new HashMap<>();
        List<StreamReading> readings = new ArrayList<>(now.streams().size());
        for (StreamFacts stream : now.streams()) {
            Meter meter = former.get(stream.name());
            if (meter == null) {
                // The first reading finds no streams, so a new stream has started since the previous reading.
                meter = new Meter(0, lastNs);
            }
            meter.add(stream.receivedBytes(), nowNs);
            streams.put(stream.name(), meter);
            readings.add(new StreamReading(stream, meter.rate()));
        }
        return readings;
    }

    private List<PeerReading> readPeers(ServerFacts now, long nowNs) {
        Map<String, PeerWatch> former = peers;
        peers = new HashMap<>();
        List<PeerReading> readings = new ArrayList<>(now.peers().size());
        for (PeerFacts peer : now.peers()) {
            PeerWatch watch = former.get(peer.address());
            if (watch == null) {
                watch = new PeerWatch(lastNs, nowNs);
            }
            peers.put(peer.address(), watch);
            readings.add(watch.read(peer, nowNs));
        }
        return readings;
    }

    /** Returns the last reading; null until the first reading has succeeded. */
    PageReading reading() {
        return reading;
    }

    /** Returns the history as a JSON object. */
    Map<String, Object> history() {
        return history.json(System.nanoTime());
    }

    /** The state of an edge or a viewer that is kept between readings. */
    private static final class PeerWatch {
        private final Meter sent;
        private final Meter lost;
        /** Time at which the edge or viewer last received data, or had no data waiting for it. */
        private long progressNs;

        PeerWatch(long beginNs, long nowNs) {
            sent = new Meter(0, beginNs);
            lost = new Meter(0, beginNs);
            progressNs = nowNs;
        }

        PeerReading read(PeerFacts peer, long nowNs) {
            long growth = sent.add(peer.sentBytes(), nowNs);
            lost.add(peer.lostBytes(), nowNs);
            if (growth > 0 || peer.waitingBytes() == 0) {
                progressNs = nowNs;
            }
            long stalledNs = nowNs - progressNs;
            return new PeerReading(
                    peer,
                    sent.rate(),
                    stalledNs < STALL_NS ? 0 : TimeUnit.NANOSECONDS.toMillis(stalledNs),
                    lost.growth());
        }
    }
}
