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
import java.util.function.LongSupplier;

/** A measurement of the load program in this process, which ends after some progress. */
final class LoadRun {
    static final int RECORDS = 8;

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
     * Returns the report.
     *
     * @param count how much progress to measure
     */
    static Config of(LogClient client, LoadOptions options, LongSupplier progress, long count)
            throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(Reader.nullReader()) {
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
        };
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(output, true, StandardCharsets.UTF_8);
        String result = new LoadMeasurement(client, options, input, printed).run();
        String[] lines = output.toString(StandardCharsets.UTF_8).split("\n");
        if (!lines[0].equals("ready") || lines.length != 2 || !lines[1].matches("progress \\d+")) {
            throw new IOException("expected two lines: " + output);
        }
        return ConfigFactory.parseString(result);
    }
}
