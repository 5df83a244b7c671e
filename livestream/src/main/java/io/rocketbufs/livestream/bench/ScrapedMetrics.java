package io.rocketbufs.livestream.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The metrics of a server in the Prometheus text format, except those with labels.
 *
 * @param byName values by metric name
 */
public record ScrapedMetrics(Map<String, Double> byName) {
    private static final Duration TIME_LIMIT = Duration.ofSeconds(10);

    /**
     * Reads all of a server's metrics in one request.
     *
     * @throws IOException if the server cannot be reached or does not respond in time
     */
    public static ScrapedMetrics of(InetSocketAddress server) throws IOException, InterruptedException {
        return parse(HttpsFetch.text(server, "/metrics", TIME_LIMIT));
    }

    private static ScrapedMetrics parse(String text) {
        return new ScrapedMetrics(text.lines()
                .filter(line -> !line.startsWith("#") && line.indexOf('{') < 0)
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Double.parseDouble(parts[1]))));
    }

    /** Returns the value of the metric with the given name, or 0 if there is none. */
    public double get(String name) {
        return byName.getOrDefault(name, 0.0);
    }
}
