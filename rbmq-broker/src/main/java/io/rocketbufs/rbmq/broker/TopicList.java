package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.RateWindow.Sample;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.web.ApiQuery;
import io.rocketbufs.web.Top;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The list of topics in the response to a request: filtered, sorted and truncated, with the numbers of topics before
 * truncation.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class TopicList {
    private static final int DEFAULT_LIMIT = 100;
    /** Maximum number of topics, and of clients, in one response. */
    static final int MAX_LIMIT = 10_000;
    /** Maximum number of topics in a response with details, which limits the response to a few megabytes. */
    private static final int MAX_DETAILED = 1000;
    /** Maximum number of publishers, of subscribers and of groups in the details of each topic. */
    private static final int MAX_DETAILS = 20;

    private final TopicFilter filter;
    private final String part;
    private final Sort sort;
    private final int limit;
    private final boolean details;

    /** The sort keys of topics. The highest number comes first; names break ties. */
    enum Sort {
        RATE(row -> row.rates().bytes()),
        IN(row -> row.rates().in()),
        OUT(row -> row.rates().out()),
        LAG(row -> row.topic().lag().pendingLength()),
        LOST(row -> row.topic().traffic().lostLength()),
        DELAY(row -> row.topic().lag().delayMs()),
        PUBLISHERS(row -> row.topic().publisherCount()),
        SUBSCRIBERS(row -> row.topic().subscriberCount()),
        NAME(row -> 0);

        private final Comparator<Row> order;

        Sort(ToDoubleFunction<Row> number) {
            this.order = Comparator.comparingDouble(number)
                    .reversed()
                    .thenComparing(row -> row.topic().name());
        }
    }

    private record Row(TopicReading topic, Rates rates) {}

    /**
     * Parses the parameters of a request.
     *
     * @throws IllegalArgumentException naming the invalid parameter and the allowed values
     */
    TopicList(Map<String, String> parameters) {
        ApiQuery query = new ApiQuery(parameters, "filter", "contains", "sort", "limit", "details");
        this.filter = filter(query.text("filter"));
        String text = query.text("contains");
        this.part = text == null ? "" : text.toLowerCase(Locale.ROOT);
        this.sort = query.choice("sort", Sort.RATE);
        this.details = query.isOn("details");
        this.limit = query.number("limit", 1, details ? MAX_DETAILED : MAX_LIMIT, DEFAULT_LIMIT);
    }

    private static TopicFilter filter(String text) {
        try {
            return text == null ? null : TopicFilter.of(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("filter: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the response as a JSON object.
     *
     * @param states maps a condition to the details of the topics whose names satisfy it
     */
    Map<String, Object> select(Sample sample, Function<Predicate<String>, List<TopicState>> states) {
        Collection<TopicReading> all = sample.now().topics().values();
        List<Row> matching = new ArrayList<>(all.size());
        for (TopicReading topic : all) {
            if (matches(topic.name())) {
                matching.add(new Row(topic, sample.of(topic)));
            }
        }
        List<Row> shown = Top.of(matching, sort.order, limit);
        Map<String, TopicState> detailed = details ? detailsOf(shown, states) : Map.of();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("total", all.size());
        answer.put("matching", matching.size());
        answer.put("shown", shown.size());
        answer.put("inboxes", sample.now().inboxCount());
        answer.put("windowMs", sample.windowMs());
        answer.put(
                "topics",
                shown.stream()
                        .map(row -> json(
                                row,
                                detailed.get(row.topic().name()),
                                sample.now().atMs()))
                        .toList());
        return answer;
    }

    private boolean matches(String name) {
        return (filter == null || filter.matches(name))
                && (part.isEmpty() || name.toLowerCase(Locale.ROOT).contains(part));
    }

    private static Map<String, TopicState> detailsOf(
            List<Row> shown, Function<Predicate<String>, List<TopicState>> states) {
        Set<String> names = shown.stream().map(row -> row.topic().name()).collect(Collectors.toSet());
        return states.apply(names::contains).stream().collect(Collectors.toMap(TopicState::name, state -> state));
    }

    private static Map<String, Object> json(Row row, TopicState details, long nowMs) {
        TopicReading topic = row.topic();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", topic.name());
        json.put("rule", topic.rule());
        json.put("publishers", topic.publisherCount());
        json.put("subscribers", topic.subscriberCount());
        json.put("keptBytes", topic.keptLength());
        row.rates().addTo(json);
        json.put("receivedBytes", topic.traffic().receivedLength());
        json.put("sentBytes", topic.traffic().sentLength());
        json.put("lostBytes", topic.traffic().lostLength());
        LagJson.add(json, topic.lag());
        if (details != null) {
            json.put("publisherDetails", publishers(details));
            json.put("subscriberDetails", subscribers(details, nowMs));
            json.put("groupDetails", groups(details));
        }
        return json;
    }

    /** Returns the groups for which the most bytes are waiting. */
    private static List<Map<String, Object>> groups(TopicState topic) {
        return topic.groups().stream()
                .sorted(Comparator.comparingLong(TopicState.GroupState::waitingLength)
                        .reversed())
                .limit(MAX_DETAILS)
                .map(group -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("name", group.name());
                    json.put("filter", group.filter());
                    json.put("members", group.memberCount());
                    json.put("waitingBytes", group.waitingLength());
                    return json;
                })
                .toList();
    }

    /** Returns the publishers that have waited longest for subscribers. */
    private static List<Map<String, Object>> publishers(TopicState topic) {
        return topic.publishers().stream()
                .sorted(Comparator.comparingLong(TopicState.PublisherState::delayMs)
                        .reversed())
                .limit(MAX_DETAILS)
                .map(publisher -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("number", publisher.number());
                    json.put("name", publisher.name());
                    json.put("address", publisher.peer());
                    json.put("capacityBytes", publisher.capacity());
                    json.put("receivedBytes", publisher.receivedLength());
                    json.put("receivedTransfers", publisher.transferCount());
                    json.put("waitedMs", publisher.delayMs());
                    return json;
                })
                .toList();
    }

    /** Returns the slowest subscribers. */
    private static List<Map<String, Object>> subscribers(TopicState topic, long nowMs) {
        return topic.subscribers().stream()
                .sorted(Comparator.comparingLong(TopicState.SubscriberState::currentDelayMs)
                        .thenComparingLong(TopicState.SubscriberState::delayMs)
                        .thenComparingLong(TopicState.SubscriberState::lostLength)
                        .thenComparingLong(TopicState.SubscriberState::pendingLength)
                        .reversed())
                .limit(MAX_DETAILS)
                .map(subscriber -> {
                    Map<String, Object> json = new LinkedHashMap<>();
                    json.put("name", subscriber.name());
                    json.put("address", subscriber.peer());
                    json.put("policy", subscriber.policy());
                    json.put("lostBytes", subscriber.lostLength());
                    if (subscriber.currentDelayMs() > 0) {
                        json.put("since", StatusJson.instant(nowMs - subscriber.currentDelayMs()));
                    }
                    LagJson.add(
                            json,
                            new Lag(
                                    subscriber.pendingLength(),
                                    subscriber.currentDelayMs(),
                                    subscriber.delayMs(),
                                    subscriber.worstPendingLength()));
                    json.put("group", subscriber.group());
                    return json;
                })
                .toList();
    }
}
