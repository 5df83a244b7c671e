package io.rocketbufs.benchmarks.transport;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Options of a benchmark as the command line has them, {@code --name value}; what ofi_reference.c knows too has the
 * same name there.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class BenchOptions {
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("transport", "rdma"),
            Map.entry("provider", "tcp"),
            Map.entry("address", "127.0.0.1"),
            Map.entry("port", "0"),
            Map.entry("role", "both"),
            Map.entry("mode", "rate"),
            Map.entry("size", "8"),
            Map.entry("capacity", "0"),
            Map.entry("window", "64"),
            Map.entry("signal-interval", "16"),
            Map.entry("inject", "128"),
            Map.entry("credit", "send"),
            Map.entry("wait", "fd"),
            Map.entry("duration", "1"),
            Map.entry("warmup", "0.5"),
            Map.entry("set", ""),
            Map.entry("pairs", "15"),
            Map.entry("sizes", "8,64,512,4096,32768,262144,1048576"),
            Map.entry("modes", "rate,latency"),
            Map.entry("java-warmup", "3"),
            Map.entry("in-flight", "0"));

    private final Map<String, String> values;

    private BenchOptions(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException naming what is unknown or lacks a value
     */
    static BenchOptions parse(String... arguments) {
        Map<String, String> values = new HashMap<>(DEFAULTS);
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (!DEFAULTS.containsKey(name)) {
                throw new IllegalArgumentException("unknown option: " + arguments[i]);
            }
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException("no value: " + arguments[i]);
            }
            values.put(name, arguments[i + 1]);
        }
        return new BenchOptions(values);
    }

    /** The same with another value. */
    BenchOptions with(String name, Object value) {
        Map<String, String> changed = new HashMap<>(values);
        changed.put(name, value.toString());
        return new BenchOptions(changed);
    }

    /** A command line that gives the same options. */
    List<String> arguments() {
        return values.entrySet().stream()
                .flatMap(entry -> Stream.of("--" + entry.getKey(), entry.getValue()))
                .toList();
    }

    /** A value as it was given. */
    String text(String name) {
        return values.get(name);
    }

    /** The parts of a value between commas. */
    List<String> list(String name) {
        return text(name).isEmpty() ? List.of() : List.of(text(name).split(","));
    }

    int number(String name) {
        try {
            return Integer.parseInt(text(name));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " " + text(name) + ": not a number", e);
        }
    }

    long nanoseconds(String name) {
        try {
            return (long) (Double.parseDouble(text(name)) * 1e9);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " " + text(name) + ": not a number of seconds", e);
        }
    }

    BenchMode mode() {
        return BenchMode.valueOf(text("mode").toUpperCase(Locale.ROOT));
    }

    CreditKind credit() {
        return CreditKind.valueOf(text("credit").toUpperCase(Locale.ROOT));
    }

    /** What these options ask of a connection. */
    BenchRun run() {
        int size = number("size");
        int capacity = number("capacity") == 0 ? Math.max(1 << 20, 4 * size) : number("capacity");
        return new BenchRun(mode(), credit(), size, capacity / size, nanoseconds("warmup"), nanoseconds("duration"));
    }
}
