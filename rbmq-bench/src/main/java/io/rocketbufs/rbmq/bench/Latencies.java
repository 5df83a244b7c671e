package io.rocketbufs.rbmq.bench;

import io.rocketbufs.text.Reason;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Conversions of latency histograms, in nanoseconds: for exchange between processes, for files and for display. */
public final class Latencies {
    private static final double MICRO_NS = 1000.0;

    private Latencies() {}

    /** Encodes a histogram as text for {@link #decode}. */
    public static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /**
     * Decodes the text returned by {@link #encode}.
     *
     * @throws IllegalArgumentException when the text is malformed
     */
    public static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 1);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("malformed histogram=" + text, e);
        }
    }

    /** Returns the sum of all histograms; null if none of them contains a value. */
    public static Histogram sum(List<Histogram> histograms) {
        Histogram sum = null;
        for (Histogram histogram : histograms) {
            if (sum == null) {
                sum = histogram;
            } else {
                sum.add(histogram);
            }
        }
        return sum == null || sum.getTotalCount() == 0 ? null : sum;
    }

    /** Returns the percentiles in microseconds. */
    public static Map<String, Object> percentiles(Histogram histogram) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("p50", at(histogram, 50));
        map.put("p90", at(histogram, 90));
        map.put("p99", at(histogram, 99));
        map.put("p999", at(histogram, 99.9));
        map.put("max", histogram == null ? null : histogram.getMaxValue() / MICRO_NS);
        return map;
    }

    /**
     * Writes a histogram log with one interval. The values in the histogram are in nanoseconds. The maximum, which the
     * log format also includes as text, is in milliseconds.
     *
     * @throws UncheckedIOException when the file cannot be written
     */
    public static void write(Histogram histogram, Path file, long beginMs, long endMs) {
        try (PrintStream out = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputComment("Latencies of rbmq bench, in nanoseconds.");
            log.outputLogFormatVersion();
            log.outputStartTime(beginMs);
            log.setBaseTime(beginMs);
            log.outputLegend();
            histogram.setStartTimeStamp(beginMs);
            histogram.setEndTimeStamp(endMs);
            log.outputIntervalHistogram(histogram);
        } catch (IOException e) {
            throw new UncheckedIOException(new IOException(file + ": cannot be written: " + Reason.of(e), e));
        }
    }

    private static Double at(Histogram histogram, double percentile) {
        return histogram == null ? null : histogram.getValueAtPercentile(percentile) / MICRO_NS;
    }
}
