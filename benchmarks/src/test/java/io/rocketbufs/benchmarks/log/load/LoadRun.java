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

/** A run of the load program in this process, which ends after some progress. */
final class LoadRun {
    static final int RECORDS = 8;

    private LoadRun() {}

    /** Returns options with short records. */
    static LoadOptions options(Workload workload) {
        return options(workload, "orders");
    }

    /** Returns options for a topic. */
    static LoadOptions options(Workload workload, String topic) {
        return new LoadOptions(workload, topic, 512, 0, 1024, RECORDS, 0, 1);
    }

    /**
     * Returns the report.
     *
     * @param count how much progress to measure
     */
    static Config of(LogClient client, LoadOptions options, LongSupplier progress, long count)
            throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(Reader.nullReader()) {
            private boolean hasBegun;

            @Override
            public String readLine() {
                if (hasBegun) {
                    long begin = progress.getAsLong();
                    await().until(() -> progress.getAsLong() - begin >= count);
                    return "end";
                }
                hasBegun = true;
                return "begin";
            }
        };
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream printed = new PrintStream(output, true, StandardCharsets.UTF_8);
        new LoadProgram(client, options, input, printed).run();
        String[] lines = output.toString(StandardCharsets.UTF_8).split("\n");
        if (!lines[0].equals("ready") || lines.length != 2) {
            throw new IOException("expected two lines: " + output);
        }
        return ConfigFactory.parseString(lines[1]);
    }
}
