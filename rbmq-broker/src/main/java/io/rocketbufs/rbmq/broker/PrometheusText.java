package io.rocketbufs.rbmq.broker;

import java.util.Locale;

/**
 * A writer of the Prometheus text format 0.0.4, for metrics whose series change with each scrape. Registering thousands
 * of series in a registry takes much longer than writing them.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class PrometheusText {
    private final StringBuilder out = new StringBuilder();
    private String name;

    /** The type of a metric, which determines how its values change. */
    enum Kind {
        COUNTER,
        GAUGE
    }

    /** Starts a metric, whose samples must follow. */
    PrometheusText begin(String metric, Kind kind, String help) {
        name = metric;
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ")
                .append(name)
                .append(' ')
                .append(kind.name().toLowerCase(Locale.ROOT))
                .append('\n');
        return this;
    }

    /**
     * Adds a sample.
     *
     * @param labels alternating names and values; a value may contain any characters
     */
    void sample(double value, String... labels) {
        out.append(name);
        for (int i = 0; i < labels.length; i += 2) {
            out.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            escape(labels[i + 1]);
            out.append('"');
        }
        out.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
    }

    private void escape(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '"' -> out.append("\\\"");
                case '\n' -> out.append("\\n");
                default -> out.append(c);
            }
        }
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
