package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.PrometheusText.Kind;
import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import io.rocketbufs.web.ApiQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of each publisher and subscriber of the topics that a request selects, in the Prometheus text format.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
final class TopicDetails {
    /** Maximum total number of publishers and subscribers. Each of them has a few series. */
    private static final int MAX_CLIENTS = 1000;

    private static final double SECOND_MS = 1e3;

    private final TopicFilter filter;

    /**
     * Parses the parameters of a request.
     *
     * @throws IllegalArgumentException naming the missing or invalid parameter
     */
    TopicDetails(Map<String, String> parameters) {
        String text = new ApiQuery(parameters, "topic").text("topic");
        if (text == null) {
            throw new IllegalArgumentException(
                    "the parameter \"topic\" is required: a topic, or a filter such as prices/%23");
        }
        this.filter = TopicFilter.of(text);
    }

    private record Row<T>(String topic, T client) {}

    /**
     * Returns the metrics.
     *
     * @param states maps a condition to the topics whose names satisfy it, sorted by name
     */
    String write(Function<Predicate<String>, List<TopicState>> states) {
        List<Row<PublisherState>> publishers = new ArrayList<>();
        List<Row<SubscriberState>> subscribers = new ArrayList<>();
        int omitted = 0;
        for (TopicState topic : states.apply(name -> !InboxName.is(name) && filter.matches(name))) {
            int count = topic.publishers().size() + topic.subscribers().size();
            if (publishers.size() + subscribers.size() + count > MAX_CLIENTS) {
                omitted++;
                continue;
            }
            topic.publishers().forEach(each -> publishers.add(new Row<>(topic.name(), each)));
            topic.subscribers().forEach(each -> subscribers.add(new Row<>(topic.name(), each)));
        }
        PrometheusText text = new PrometheusText();
        text.begin("rbmq_detail_omitted_topics", Kind.GAUGE, "Topics left out because there are too many clients")
                .sample(omitted);
        addPublishers(text, publishers);
        addSubscribers(text, subscribers);
        return text.toString();
    }

    private static void addPublishers(PrometheusText text, List<Row<PublisherState>> rows) {
        publishers(
                text.begin("rbmq_detail_received_bytes_total", Kind.COUNTER, "Bytes received from the publisher"),
                rows,
                PublisherState::receivedLength);
        publishers(
                text.begin("rbmq_detail_received_transfers_total", Kind.COUNTER, "Transfers received"),
                rows,
                PublisherState::transferCount);
        publishers(
                text.begin("rbmq_detail_waited_seconds_total", Kind.COUNTER, "Waits of the publisher for subscribers"),
                rows,
                publisher -> publisher.delayMs() / SECOND_MS);
        publishers(
                text.begin("rbmq_detail_capacity_bytes", Kind.GAUGE, "Capacity of the publisher's buffer"),
                rows,
                PublisherState::capacity);
    }

    private static void publishers(
            PrometheusText text, List<Row<PublisherState>> rows, ToDoubleFunction<PublisherState> number) {
        for (Row<PublisherState> row : rows) {
            PublisherState publisher = row.client();
            text.sample(
                    number.applyAsDouble(publisher),
                    "topic",
                    row.topic(),
                    "publisher",
                    publisher.name(),
                    "address",
                    publisher.peer(),
                    "number",
                    Integer.toString(publisher.number()));
        }
    }

    private static void addSubscribers(PrometheusText text, List<Row<SubscriberState>> rows) {
        subscribers(
                text.begin("rbmq_detail_sent_bytes_total", Kind.COUNTER, "Bytes sent to the subscriber"),
                rows,
                SubscriberState::sentLength);
        subscribers(
                text.begin("rbmq_detail_sent_transfers_total", Kind.COUNTER, "Transfers sent to the subscriber"),
                rows,
                SubscriberState::transferCount);
        subscribers(
                text.begin(
                        "rbmq_detail_starvations_total",
                        Kind.COUNTER,
                        "Waits until the subscriber's program had read some data"),
                rows,
                SubscriberState::starvedCount);
        subscribers(
                text.begin("rbmq_detail_lost_bytes_total", Kind.COUNTER, "Bytes skipped for the subscriber"),
                rows,
                SubscriberState::lostLength);
        subscribers(
                text.begin("rbmq_detail_delay_seconds_total", Kind.COUNTER, "Delays of publishers by the subscriber"),
                rows,
                subscriber -> subscriber.delayMs() / SECOND_MS);
        subscribers(
                text.begin("rbmq_detail_slow_seconds", Kind.GAUGE, "Time since the subscriber began its current delay"),
                rows,
                subscriber -> subscriber.currentDelayMs() / SECOND_MS);
        subscribers(
                text.begin(
                        "rbmq_detail_worst_lag_bytes",
                        Kind.GAUGE,
                        "Highest number of bytes that waited during the subscriber's current or last delay"),
                rows,
                SubscriberState::worstPendingLength);
        subscribers(
                text.begin("rbmq_detail_lag_bytes", Kind.GAUGE, "Bytes that have not been sent to the subscriber yet"),
                rows,
                SubscriberState::pendingLength);
    }

    private static void subscribers(
            PrometheusText text, List<Row<SubscriberState>> rows, ToDoubleFunction<SubscriberState> number) {
        for (Row<SubscriberState> row : rows) {
            SubscriberState subscriber = row.client();
            text.sample(
                    number.applyAsDouble(subscriber),
                    "topic",
                    row.topic(),
                    "subscriber",
                    subscriber.name(),
                    "address",
                    subscriber.peer());
        }
    }
}
