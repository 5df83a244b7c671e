package io.rocketbufs.benchmarks.log.load;

import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A run of the load program's measurement in this process. It ends after a given amount of progress, regardless of how
 * long that takes.
 */
final class LoadRun {
    static final int RECORDS = 8;

    private static final long PAUSE_NS = 10_000_000;

    private LoadRun() {}

    /** Returns options with short records. */
    static LoadOptions options(Workload workload) {
        return options(workload, "orders");
    }

    /** Returns options for a topic. */
    static LoadOptions options(Workload workload, String topic) {
        return new LoadOptions(workload, topic, 1, 512, 0, 1024, RECORDS, 0, 1, 0);
    }

    /**
     * Returns the report of a measurement that ends when the clients have made progress.
     *
     * @param count the minimum number of records or polls to measure
     */
    static Config of(LogClient client, LoadOptions options, long count) throws IOException, InterruptedException {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        return run(client, options, output, new BufferedReader(Reader.nullReader()) {
            private int lines;
            private long begin;

            @Override
            public String readLine() {
                lines++;
                if (lines == 2) {
                    return "begin";
                }
                if (lines == 4) {
                    begin = answered(output);
                } else if (lines > 4) {
                    if (answered(output) - begin >= count) {
                        return "end";
                    }
                    LockSupport.parkNanos(PAUSE_NS);
                }
                return "progress";
            }
        });
    }

    /** Returns the progress reported in the last answer. */
    private static long answered(ByteArrayOutputStream output) {
        String[] lines = output.toString(StandardCharsets.UTF_8).split("\n");
        return Long.parseLong(lines[lines.length - 1].split(" ")[1]);
    }

    /**
     * Returns the report of a measurement that ends after the given amount of progress, which the test itself measures.
     *
     * @param count the amount of progress to measure
     */
    static Config of(LogClient client, LoadOptions options, LongSupplier progress, long count)
            throws IOException, InterruptedException {
        return run(client, options, new ByteArrayOutputStream(), new BufferedReader(Reader.nullReader()) {
            private int lines;

            @Override
            public String readLine() {
                lines++;
                if (lines > 2) {
                    long begin = progress.getAsLong();
                    await().until(() -> progress.getAsLong() - begin >= count);
                    return "end";
                }
                return lines == 1 ? "progress" : "begin";
            }
        });
    }

    private static Config run(LogClient client, LoadOptions options, ByteArrayOutputStream output, BufferedReader input)
            throws IOException, InterruptedException {
        PrintStream printed = new PrintStream(output, true, StandardCharsets.UTF_8);
        String result = new LoadMeasurement(client, options, input, printed).run();
        List<String> lines = output.toString(StandardCharsets.UTF_8).lines().toList();
        if (!lines.get(0).equals("ready")
                || !lines.subList(1, lines.size()).stream().allMatch(line -> line.matches("progress \\d+"))) {
            throw new IOException("expected \"ready\" and lines with the progress: " + output);
        }
        return ConfigFactory.parseString(result);
    }
}
