package io.rocketbufs.livestream.bench;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a server shows in Prometheus' text format, without what has labels.
 *
 * @param byName the numbers
 */
public record Metrics(Map<String, Double> byName) {
    static Metrics parse(String text) {
        return new Metrics(text.lines()
                .filter(line -> !line.startsWith("#") && line.indexOf('{') < 0)
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Double.parseDouble(parts[1]))));
    }

    /** A number; 0 when there is none of that name. */
    public double get(String name) {
        return byName.getOrDefault(name, 0.0);
    }
}
