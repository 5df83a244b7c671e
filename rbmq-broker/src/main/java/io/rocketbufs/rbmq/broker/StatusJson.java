package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.RateWindow.Sample;
import io.rocketbufs.web.BuildVersion;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An encoder of the broker's overall state, including the subscriptions that delay publishers. */
final class StatusJson {
    /** Maximum number of slow subscriptions, and of slow clients, in a response. */
    private static final int MAX_SLOW = 20;
    /** Maximum number of obstacles in a response, limited because clients choose the texts. */
    private static final int MAX_OBSTACLES = 10;

    private StatusJson() {}

    static Map<String, Object> of(Sample sample, boolean isReady) {
        BrokerReading now = sample.now();
        BrokerState state = now.state();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ready", isReady);
        json.put("version", BuildVersion.get());
        json.put("uptimeMs", state.uptimeMs());
        json.put("startedAt", state.startedAt().toString());
        json.put("listeners", state.listeners());
        json.put("clientsByTransport", byTransport(now));
        json.put("transportObstacles", transportObstacles(now));
        json.put("publishers", state.publisherCount());
        json.put("subscribers", state.subscriberCount());
        json.put("topics", now.topics().size());
        json.put("inboxes", now.inboxCount());
        json.put("windowMs", sample.windowMs());
        sample.ofBroker().addTo(json);
        json.put("receivedBytes", now.traffic().receivedLength());
        json.put("receivedTransfers", now.traffic().receivedCount());
        json.put("sentBytes", now.traffic().sentLength());
        json.put("sentTransfers", now.traffic().sentCount());
        json.put("lagBytes", now.lag().pendingLength());
        json.put("lostBytes", lostBytes(now));
        json.put("memoryBytes", state.memoryLength());
        json.put("memoryLimitBytes", state.memoryLimit());
        json.put("keptMessages", state.keptCount());
        json.put("keptBytes", state.keptLength());
        json.put("keptRemoved", state.keptRemovedCount());
        json.put("delays", state.delayCount());
        json.put("delayMs", state.delayMs());
        json.put("heldBackMs", state.heldBackMs());
        json.put("heldBackPercent", sample.heldBackPercent());
        json.put("malformedFrames", state.malformedCount());
        json.put("redeliveredMessages", state.redeliveredCount());
        json.put("discardedBytes", state.discardedLength());
        json.put("refusedConnections", state.refusedCount());
        json.put("refusals", state.refusals());
        json.put("disconnects", state.disconnects());
        json.put("slowSubscribers", state.slowSubscriberCount());
        json.put("slowSubscriptions", now.slow().size());
        json.put("slow", slow(now));
        json.put("slowClients", slowClients(now));
        return json;
    }

    private static Map<String, Long> byTransport(BrokerReading now) {
        Map<String, Long> counts = new TreeMap<>();
        now.clients().values().forEach(each -> counts.merge(each.client().transport(), 1L, Long::sum));
        return counts;
    }

    private record Obstacle(String transport, String text) {}

    /** Returns the most frequent reasons why clients do not use a better transport. */
    private static List<Map<String, Object>> transportObstacles(BrokerReading now) {
        Map<Obstacle, Long> counts = now.clients().values().stream()
                .map(each ->
                        new Obstacle(each.client().transport(), each.client().obstacle()))
                .filter(obstacle -> !obstacle.text.isEmpty())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<Obstacle, Long>comparingByValue().reversed())
                .limit(MAX_OBSTACLES)
                .map(entry -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("transport", entry.getKey().transport);
                    json.put("obstacle", entry.getKey().text);
                    json.put("clients", entry.getValue());
                    return json;
                })
                .toList();
    }

    /** Returns a time in ISO 8601 format. */
    static String instant(long epochMs) {
        return Instant.ofEpochMilli(epochMs).toString();
    }

    /** Returns the number of bytes that were not delivered, by reason. */
    static Map<String, Long> lostBytes(BrokerReading now) {
        Map<String, Long> lost = new LinkedHashMap<>();
        lost.put("skipped", now.traffic().lostLength());
        lost.put("disconnected", now.unsentLength());
        return lost;
    }

    /** Returns the subscriptions that have delayed publishers for the longest time. */
    private static List<Map<String, Object>> slow(BrokerReading now) {
        return slowest(now.slow()).limit(MAX_SLOW).map(each -> json(each, now)).toList();
    }

    private static Stream<SlowReading> slowest(Collection<SlowReading> readings) {
        return readings.stream()
                .sorted(Comparator.comparingLong(
                                (SlowReading each) -> each.lag().currentDelayMs())
                        .reversed());
    }

    private static Map<String, Object> json(SlowReading reading, BrokerReading now) {
        Map<String, Object> json = ClientList.identity(reading.client());
        json.put("topic", reading.topic());
        json.put("policy", reading.policy());
        json.put("since", instant(now.atMs() - reading.lag().currentDelayMs()));
        LagJson.add(json, reading.lag());
        return json;
    }

    /**
     * Returns the clients that have delayed publishers for the longest time, each with its longest delay and the lag of
     * all its slow subscriptions. A client with many slow subscriptions therefore does not hide other clients.
     */
    private static List<Map<String, Object>> slowClients(BrokerReading now) {
        Map<String, SlowReading> longest = new HashMap<>();
        Map<String, Lag> lags = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (SlowReading each : now.slow()) {
            String address = each.client().address();
            longest.merge(
                    address, each, (a, b) -> a.lag().currentDelayMs() >= b.lag().currentDelayMs() ? a : b);
            lags.merge(address, each.lag(), Lag::plus);
            counts.merge(address, 1, Integer::sum);
        }
        return slowest(longest.values())
                .limit(MAX_SLOW)
                .map(each -> {
                    String address = each.client().address();
                    Map<String, Object> json = json(each, now);
                    LagJson.add(json, lags.get(address));
                    json.put("subscriptions", counts.get(address));
                    return json;
                })
                .toList();
    }
}
