package io.rocketbufs.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import io.rocketbufs.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** A mixin with the options of a {@code stat} command and the output that they select. */
public final class StatOptions {
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int LINES_PER_HEADING = 20;
    private static final double SECOND_MS = 1000;

    @Option(names = "--once", description = "Shows all values once and exits.")
    boolean once;

    @Option(names = "--json", description = "Prints one JSON object per line.")
    boolean json;

    /** A command's table, with one line per second. */
    public interface Table {
        /** Returns the heading. */
        String heading();

        /**
         * Returns a line.
         *
         * @param last an earlier state; for the first line, the current state
         * @param now the current state
         * @param seconds time between the two states in seconds; greater than 0
         */
        String line(Config last, Config now, double seconds);
    }

    /** Returns the increase of a number between two states. */
    public static long change(Config last, Config now, String name) {
        return now.getLong(name) - last.getLong(name);
    }

    /** Returns whether all values are shown once. */
    public boolean isOnce() {
        return once;
    }

    /** Shows all values of a state, which is a JSON object. */
    public void show(String state, Streams streams) {
        if (json) {
            streams.tell(state);
            return;
        }
        Map<String, ConfigValue> sorted = new TreeMap<>();
        Json.parse(state).entrySet().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        sorted.forEach(
                (name, value) -> streams.tell(name + " " + TerminalText.escape(String.valueOf(value.unwrapped()))));
    }

    /**
     * Shows a state every second until a signal arrives or the output can no longer be written.
     *
     * @param state returns the current state, a JSON object with the number {@code uptimeMs}
     */
    public void repeat(Supplier<String> state, Table table, Streams streams) throws InterruptedException {
        try (StopRequest stop = StopRequest.bySignal()) {
            Config last = null;
            for (int i = 0; !stop.isMade(); i++) {
                String answer = state.get();
                Config now = Json.parse(answer);
                if (json) {
                    streams.tell(answer);
                } else {
                    String heading = i % LINES_PER_HEADING == 0 ? table.heading() + "\n" : "";
                    boolean isFirst = last == null || change(last, now, "uptimeMs") < 0; // may have restarted
                    streams.tell(heading + line(table, isFirst ? now : last, now));
                }
                last = now;
                if (streams.out().checkError()) {
                    return;
                }
                stop.await(PERIOD);
            }
        }
    }

    private static String line(Table table, Config last, Config now) {
        return table.line(last, now, Math.max(1, change(last, now, "uptimeMs")) / SECOND_MS);
    }
}
