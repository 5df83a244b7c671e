package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.MetricsSource;
import io.rocketbufs.rbmq.broker.PrometheusText.Kind;
import io.rocketbufs.web.ServerMetrics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of a broker, the framework, the JVM and the process, in the Prometheus text format. The number of series
 * is bounded regardless of the number of topics and clients.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the listeners that it registers with the JVM's garbage
 * collectors.
 */
final class BrokerMetrics implements AutoCloseable {
    private static final int MAX_TOPICS = 100;
    private static final double SECOND_MS = 1e3;

    private final Supplier<BrokerReading> reader;
    private final ServerMetrics all;
    private final BusiestTopics busiest = new BusiestTopics(MAX_TOPICS);
    /** The counters, read once per scrape for all metrics. */
    private volatile BrokerReading now;

    /**
     * Creates the metrics.
     *
     * @param adminExpirySeconds supplies the time in seconds until the admin interface's certificate expires; NaN
     *     without a certificate
     */
    BrokerMetrics(Supplier<BrokerReading> reader, MetricsSource framework, Supplier<Number> adminExpirySeconds) {
        this.reader = reader;
        this.now = reader.get();
        this.all = ServerMetrics.ofProcess(framework);
        all.addJvm();
        all.gauge(
                "rbmq.admin.certificate.expiry.seconds",
                "Time until the certificate of the admin interface expires; negative if it has expired",
                adminExpirySeconds);
        addState();
        addTraffic();
        addReasons();
    }

    private void addState() {
        gauge("rbmq.publishers", "Connected publishers", now -> now.state().publisherCount());
        gauge("rbmq.subscribers", "Connected subscribers", now -> now.state().subscriberCount());
        gauge(
                "rbmq.topics",
                "Topics with a publisher or a subscriber",
                now -> now.topics().size());
        gauge("rbmq.inboxes", "Inboxes that receive replies", BrokerReading::inboxCount);
        gauge(
                "rbmq.lag.bytes",
                "Bytes that have not been sent to subscribers yet",
                now -> now.lag().pendingLength());
        gauge(
                "rbmq.slow.subscribers",
                "Subscribers that delay a publisher",
                now -> now.state().slowSubscriberCount());
        gauge(
                "rbmq.slow.pending.bytes",
                "Bytes that wait for slow subscribers in the buffers of the publishers that they delay",
                now -> now.state().slowPendingLength());
        gauge(
                "rbmq.slow.seconds",
                "Time since the oldest current delay of a publisher began",
                now -> now.lag().currentDelayMs() / SECOND_MS);
        gauge(
                "rbmq.slow.worst.lag.bytes",
                "Highest number of bytes that waited for a connected subscriber during its current or last delay",
                now -> now.lag().worstPendingLength());
        counter(
                "rbmq.delays",
                "Delays of a publisher on one topic by a subscriber",
                now -> now.state().delayCount());
        counter(
                "rbmq.delay.seconds",
                "Total time of these delays",
                now -> now.state().delayMs() / SECOND_MS);
    }

    private void addTraffic() {
        counter(
                "rbmq.received.bytes",
                "Bytes received from publishers",
                now -> now.traffic().receivedLength());
        counter(
                "rbmq.received.transfers",
                "Transfers received from publishers",
                now -> now.traffic().receivedCount());
        counter(
                "rbmq.sent.bytes",
                "Bytes sent to subscribers",
                now -> now.traffic().sentLength());
        counter(
                "rbmq.sent.transfers",
                "Transfers sent to subscribers",
                now -> now.traffic().sentCount());
    }

    private void addReasons() {
        counters("rbmq.lost.bytes", "Bytes that subscribers did not receive", StatusJson::lostBytes);
        counter(
                "rbmq.refused.connections",
                "Connections refused",
                now -> now.state().refusedCount());
        counters(
                "rbmq.refusals",
                "Clients and requests refused: missing or wrong token, missing right, a limit, or no greeting",
                now -> now.state().refusals());
        counters(
                "rbmq.disconnects",
                "Accepted clients that have left",
                now -> now.state().disconnects());
        gauge(
                "rbmq.kept.messages",
                "Messages of departed publishers that are kept",
                now -> now.state().keptCount());
        gauge(
                "rbmq.kept.bytes",
                "Bytes of memory that these messages occupy",
                now -> now.state().keptLength());
        counter(
                "rbmq.kept.removals",
                "Messages of departed publishers that were removed because of rbmq.limits.kept-bytes",
                now -> now.state().keptRemovedCount());
        counter(
                "rbmq.malformed.frames",
                "Malformed frames that subscribers reported, or groups found",
                now -> now.state().malformedCount());
        counter(
                "rbmq.group.redelivered.messages",
                "Messages that a member of a group did not consume, and that another member receives",
                now -> now.state().redeliveredCount());
        counter(
                "rbmq.group.discarded.bytes",
                "Bytes that waited for a group when its last member left, or its publisher's drain timeout expired",
                now -> now.state().discardedLength());
    }

    private void gauge(String name, String description, Function<BrokerReading, Number> number) {
        all.gauge(name, description, () -> number.apply(now));
    }

    private void counter(String name, String description, Function<BrokerReading, Number> number) {
        all.counter(name, description, () -> number.apply(now));
    }

    /** Adds a counter with one series for each reason; the set of reasons never changes. */
    private void counters(String name, String description, Function<BrokerReading, Map<String, Long>> numbers) {
        Set<String> reasons = numbers.apply(now).keySet();
        for (String reason : reasons) {
            all.counter(
                    name,
                    description,
                    "reason",
                    reason,
                    () -> numbers.apply(now).get(reason));
        }
    }

    /** Returns the current value of every metric. */
    String scrape() {
        BrokerReading reading = reader.get();
        now = reading;
        return all.scrape() + topics(busiest.select(reading));
    }

    private static String topics(List<TopicReading> entries) {
        PrometheusText text = new PrometheusText();
        topics(
                text.begin("rbmq_topic_received_bytes_total", Kind.COUNTER, "Bytes received from publishers"),
                entries,
                topic -> topic.traffic().receivedLength());
        topics(
                text.begin("rbmq_topic_sent_bytes_total", Kind.COUNTER, "Bytes sent to subscribers"),
                entries,
                topic -> topic.traffic().sentLength());
        topics(
                text.begin("rbmq_topic_lost_bytes_total", Kind.COUNTER, "Bytes skipped for subscribers"),
                entries,
                topic -> topic.traffic().lostLength());
        topics(
                text.begin("rbmq_topic_lag_bytes", Kind.GAUGE, "Bytes that have not been sent to subscribers yet"),
                entries,
                topic -> topic.lag().pendingLength());
        topics(text.begin("rbmq_topic_publishers", Kind.GAUGE, "Publishers"), entries, TopicReading::publisherCount);
        topics(text.begin("rbmq_topic_subscribers", Kind.GAUGE, "Subscribers"), entries, TopicReading::subscriberCount);
        return text.toString();
    }

    private static void topics(PrometheusText text, List<TopicReading> entries, ToDoubleFunction<TopicReading> number) {
        entries.forEach(topic -> text.sample(number.applyAsDouble(topic), "topic", topic.name()));
    }

    @Override
    public void close() {
        all.close();
    }
}
