package io.rocketbufs.rbmq.broker;

import io.rocketbufs.Role;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.rbmq.broker.RateWindow.Sample;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.web.ApiQuery;
import io.rocketbufs.web.Top;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The list of clients in the response to a request: filtered, sorted and truncated, with the numbers of clients before
 * truncation.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class ClientList {
    private static final int DEFAULT_LIMIT = 100;

    private final String filter;
    private final Wanted wanted;
    private final Sort sort;
    private final int limit;

    /** The roles of clients that a request can select. */
    enum Wanted {
        ANY,
        PUBLISHER,
        SUBSCRIBER;

        private boolean includes(Role role) {
            return this == ANY || name().equals(role.toString().toUpperCase(Locale.ROOT));
        }
    }

    /** The sort keys of clients. The highest number comes first; names and addresses break ties. */
    enum Sort {
        DELAY(row -> row.reading().lag().delayMs()),
        LAG(row -> row.reading().lag().pendingLength()),
        LOST(row -> row.reading().traffic().lostLength()),
        RATE(row -> row.rates().bytes()),
        IN(row -> row.rates().in()),
        OUT(row -> row.rates().out()),
        WAITED(Row::waitedMs),
        TOPICS(row -> row.reading().topicCount()),
        NEWEST(row -> row.reading().client().sinceMs()),
        NAME(row -> 0);

        private final Comparator<Row> order;

        Sort(ToDoubleFunction<Row> number) {
            this.order = Comparator.comparingDouble(number)
                    .reversed()
                    .thenComparing(row -> row.reading().client().name())
                    .thenComparing(row -> row.reading().client().address());
        }
    }

    /** @param waitedMs how long a publisher has waited for subscribers of its topics, in milliseconds */
    private record Row(ClientReading reading, Rates rates, long waitedMs) {}

    /**
     * Parses the parameters of a request.
     *
     * @throws IllegalArgumentException naming the invalid parameter and the allowed values
     */
    ClientList(Map<String, String> parameters) {
        ApiQuery query = new ApiQuery(parameters, "filter", "role", "sort", "limit");
        String text = query.text("filter");
        this.filter = text == null ? "" : text.toLowerCase(Locale.ROOT);
        this.wanted = query.choice("role", Wanted.ANY);
        this.sort = query.choice("sort", Sort.LAG);
        this.limit = query.number("limit", 1, TopicList.MAX_LIMIT, DEFAULT_LIMIT);
    }

    /**
     * Returns the response as a JSON object.
     *
     * @param connections the counters of all connections
     */
    Map<String, Object> select(Sample sample, List<ConnectionState> connections) {
        Map<String, Long> waitedMs = new HashMap<>();
        for (ConnectionState connection : connections) {
            waitedMs.put(
                    connection.peer(),
                    connection.inputs().stream().mapToLong(InputState::delayMs).sum());
        }
        Collection<ClientReading> all = sample.now().clients().values();
        List<Row> matching = new ArrayList<>(all.size());
        for (ClientReading reading : all) {
            if (matches(reading.client())) {
                matching.add(new Row(
                        reading,
                        sample.of(reading),
                        waitedMs.getOrDefault(reading.client().address(), 0L)));
            }
        }
        List<Row> shown = Top.of(matching, sort.order, limit);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("total", all.size());
        answer.put("matching", matching.size());
        answer.put("shown", shown.size());
        answer.put("windowMs", sample.windowMs());
        answer.put("clients", shown.stream().map(ClientList::json).toList());
        return answer;
    }

    private boolean matches(ConnectedClient client) {
        return wanted.includes(client.role())
                && (contains(client.name()) || contains(client.user()) || contains(client.address()));
    }

    private boolean contains(String text) {
        return text != null && text.toLowerCase(Locale.ROOT).contains(filter);
    }

    private static Map<String, Object> json(Row row) {
        ClientReading reading = row.reading();
        Map<String, Object> json = identity(reading.client());
        json.put("transport", reading.client().transport());
        json.put("transportObstacle", reading.client().obstacle());
        json.put("features", Features.names(reading.client().features()));
        json.put("connectedAt", Instant.ofEpochMilli(reading.client().sinceMs()).toString());
        json.put("topics", reading.topicCount());
        row.rates().addTo(json);
        json.put("receivedBytes", reading.traffic().receivedLength());
        json.put("sentBytes", reading.traffic().sentLength());
        json.put("lostBytes", reading.traffic().lostLength());
        LagJson.add(json, reading.lag());
        json.put("waitedMs", row.waitedMs());
        return json;
    }

    /** Returns the fields that identify a client. */
    static Map<String, Object> identity(ConnectedClient client) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", client.name());
        json.put("user", client.user());
        json.put("address", client.address());
        json.put("role", client.role().toString().toLowerCase(Locale.ROOT));
        return json;
    }
}
