package io.rocketbufs.rbmq.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The transport of a connection, and the reasons why no better transport is used.
 *
 * @param name the transport's name
 * @param obstacles the better transports that the broker offers, best first, each with the reason why it is not used;
 *     empty if the best transport is in use, or if the configuration names the transport
 */
public record ChosenTransport(String name, Map<String, String> obstacles) {
    /** Copies the obstacles. */
    public ChosenTransport {
        obstacles = Collections.unmodifiableMap(new LinkedHashMap<>(obstacles));
    }

    /** Returns the obstacles as one line; an empty string if there are none. */
    static String describe(Map<String, String> obstacles) {
        return obstacles.entrySet().stream()
                .map(each -> "not " + each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining("; "));
    }

    /** Returns the name, followed by the obstacles. */
    @Override
    public String toString() {
        return obstacles.isEmpty() ? name : name + " (" + describe(obstacles) + ")";
    }
}
