package io.rocketbufs.livestream.bench;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * A set of emulated sources and viewers, which share a few threads.
 *
 * <p><b>Thread-safety:</b> one thread. <b>Source:</b> RocketBufs 5, where httperf emulates viewers and checks that
 * chunks are on time and valid.
 */
public final class EmulatedClients implements AutoCloseable {
    private static final double US_PER_MS = 1e3;
    /** Separate counters for the sources, because the other counters describe only the viewers. */
    private final BenchCounters sourceCounters = new BenchCounters();

    private final AtomicBoolean running = new AtomicBoolean(true);
    private final HttpsClient client;
    private final BenchCounters counters = new BenchCounters();

    /** Creates an empty set of sources and viewers. */
    public EmulatedClients(int threads) {
        client = new HttpsClient("bench", threads);
    }

    /**
     * Adds sources, whose start times are spread over the duration of a chunk.
     *
     * @param bitsPerSecond bit rate of each source
     */
    public void addSources(InetSocketAddress ingest, int count, long bitsPerSecond, int chunkMs) {
        int length = (int) (bitsPerSecond * chunkMs / 8000);
        for (int i = 0; i < count; i++) {
            EmulatedSource source = new EmulatedSource(client, ingest, i, length, chunkMs, sourceCounters, running);
            client.retry(source::begin, (long) chunkMs * i / count);
        }
    }

    /** Returns the names of the streams that the first {@code count} emulated sources push. */
    public static List<String> streams(int count) {
        return IntStream.range(0, count).mapToObj(EmulatedSource::stream).toList();
    }

    /** Adds viewers, which are distributed among the streams. Their start times are spread over one second. */
    public void addViewers(InetSocketAddress edge, List<String> streams, int count) {
        for (int i = 0; i < count; i++) {
            String folder = "/live/" + streams.get(i % streams.size()) + "/";
            BenchViewer viewer = new BenchViewer(client, edge, folder, counters, running);
            client.retry(viewer::begin, ThreadLocalRandom.current().nextLong(1000));
        }
    }

    /** Returns true if every viewer received every chunk on time, in order and intact and no source failed. */
    public boolean isFaultless() {
        return counters.isFaultless() && sourceCounters.errors.sum() == 0;
    }

    /** Returns the total number of bytes that the viewers have received. */
    public long receivedBytes() {
        return counters.bytes.sum();
    }

    /** Returns all results in the order of the report. */
    public Map<String, Object> result() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("chunks", counters.chunks.sum());
        result.put("bytes", counters.bytes.sum());
        result.put("errors", counters.errors.sum() + sourceCounters.errors.sum());
        result.put("late", counters.late.sum());
        result.put("skipped", counters.skipped.sum());
        result.put("corrupted", counters.corrupted.sum());
        result.put("startup_ms", percentiles(counters.startup));
        result.put("lateness_ms", percentiles(counters.lateness));
        Map<String, Object> reasons = new LinkedHashMap<>();
        counters.reasons.forEach((why, count) -> reasons.put(why, count.sum()));
        sourceCounters.reasons.forEach((why, count) -> reasons.put(why, count.sum()));
        result.put("reasons", reasons);
        return result;
    }

    private static Map<String, Object> percentiles(Histogram histogram) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (double percentile : new double[] {50, 90, 99}) {
            all.put("p" + (int) percentile, histogram.getValueAtPercentile(percentile) / US_PER_MS);
        }
        all.put("max", histogram.getMaxValue() / US_PER_MS);
        return all;
    }

    /** Closes all connections. */
    @Override
    public void close() {
        running.set(false);
        client.close();
    }
}
