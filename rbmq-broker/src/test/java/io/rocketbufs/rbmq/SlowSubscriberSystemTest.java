package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.BrokerState;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of subscribers that delay publishers: the log must name the right subscribers, and the right clients must be
 * notified.
 */
@Tag("once")
@Timeout(600)
final class SlowSubscriberSystemTest {
    private static final String[] SMALL = {
        "rbmq.broker.capacity = 10000",
        "rbmq.subscriber.capacity = 10000",
        "rbmq.publisher.capacity = 10000",
        "rocketbufs.heartbeat-interval = 400 ms",
        // A handler that does not return also prevents the client from sending heartbeats.
        "rocketbufs.heartbeat-timeout = 170 s",
        "rbmq.broker.stall-timeout = 170 s"
    };
    private static final String IS_DELAYING = "is delaying publisher";
    private static final String LINE =
            "WARN Subscriber \"%s\" at 127\\.0\\.0\\.1:\\d+ is delaying publisher 1 \"feed\" on"
                    + " topic \"%s\": \\d+ bytes are waiting \\(slow-policy block\\)";

    private final LoggedLines logged = new LoggedLines();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Semaphore permits = new Semaphore(0);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private RunningBroker running;

    @AfterEach
    void close() {
        release.countDown();
        permits.release(1_000_000);
        running.close();
        logged.close();
    }

    private void open(String... more) {
        List<String> all = new ArrayList<>(List.of(SMALL));
        all.addAll(List.of(more));
        running = new RunningBroker(all.toArray(String[]::new));
    }

    /** Connects a subscriber with its own workers, so that its handlers may block. */
    private Subscriber subscriber(String name) {
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(SMALL)));
        ClientSettings settings = running.subscriberSettings().withName(name);
        return running.opened(Subscriber.connect(own, settings, new SubscriberCallback() {
            @Override
            public void onSlow(String topic, int publisher, long waitingLength) {
                assertThat(waitingLength).isPositive();
                events.add(name + " slow " + topic + " " + publisher);
            }

            @Override
            public void onSlowEnd(String topic, int publisher, long delayMs) {
                assertThat(delayMs).isGreaterThanOrEqualTo(200);
                events.add(name + " recovered " + topic + " " + publisher);
            }
        }));
    }

    private static Subscription subscribe(Subscriber to, String filter, MessageHandler handler) throws Exception {
        Subscription subscription = to.subscribe(filter, handler);
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private Publisher feed() {
        return running.publisher(running.publisherSettings().withName("feed"), new PublisherCallback() {
            @Override
            public void onSlowSubscribers(String topic, int count) {
                events.add("feed " + topic + " " + count);
            }
        });
    }

    /** Fills the buffers repeatedly until the log names the slow subscriber. */
    private void fillUntilNamed(TopicPublisher topic, String name) {
        await().until(() -> {
            fill(topic);
            return !named(name).isEmpty();
        });
    }

    /** Returns the log lines that report that the subscriber has started to delay a publisher. */
    private List<String> named(String name) {
        return logged.with(IS_DELAYING).stream()
                .filter(line -> line.contains("Subscriber \"" + name + "\""))
                .toList();
    }

    private static void fill(TopicPublisher topic) {
        while (topic.tryPublish(new byte[500]) == PublishResult.PUBLISHED) {
            continue;
        }
    }

    private void hold(Message message) {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private SubscriberState state(String topic, String name) {
        return topic(topic).subscribers().stream()
                .filter(each -> each.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    private TopicState topic(String name) {
        return running.broker().topics().stream()
                .filter(each -> each.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    /** Checks the state and the metrics of the subscriber "risk" to the topic "prices", and those of the broker. */
    private void assertDelay(double leastSeconds, double leastLength, double mostLength) {
        SubscriberState slow = state("prices", "risk");
        assertThat(slow.currentDelayMs() / 1e3).isGreaterThanOrEqualTo(leastSeconds);
        assertThat((double) slow.worstPendingLength()).isBetween(leastLength, mostLength);
        AdminApi api = new AdminApi(running);
        Map<String, Double> all = StrictMetrics.parse(api.text("/metrics"));
        assertThat(all.get("rbmq_slow_seconds")).isGreaterThanOrEqualTo(leastSeconds);
        assertThat(all.get("rbmq_slow_worst_lag_bytes")).isBetween(leastLength, mostLength);
        Map<String, Double> detail = StrictMetrics.parse(api.text("/metrics/detail?topic=prices"));
        assertThat(ofRisk(detail, "rbmq_detail_slow_seconds")).isGreaterThanOrEqualTo(leastSeconds);
        assertThat(ofRisk(detail, "rbmq_detail_worst_lag_bytes")).isBetween(leastLength, mostLength);
    }

    private static double ofRisk(Map<String, Double> metrics, String name) {
        return metrics.entrySet().stream()
                .filter(each ->
                        each.getKey().startsWith(name + "{") && each.getKey().contains("subscriber=risk"))
                .findAny()
                .orElseThrow()
                .getValue();
    }

    @Test
    void shouldNameOnlyTheSubscriberWhoseHandlerDoesNotReturnAndDelayOnlyItsTopic() throws Exception {
        open();
        Messages fast = new Messages();
        Messages other = new Messages();
        Subscriber risk = subscriber("risk");
        subscribe(risk, "prices", this::hold);
        subscribe(subscriber("fast"), "prices", fast);
        subscribe(subscriber("other"), "trades", other);
        Publisher feed = feed();
        TopicPublisher prices = feed.topic("prices");
        fillUntilNamed(prices, "risk");
        assertThat(named("risk")).singleElement().asString().matches(String.format(LINE, "risk", "prices"));
        // Once "fast" has received all messages, it delays no publisher, no matter how busy the machine is.
        await().until(() -> {
            fill(prices);
            SubscriberState state = state("prices", "fast");
            return state.pendingLength() == 0 && state.currentDelayMs() == 0;
        });
        int fastBefore = named("fast").size();
        long fastDelayMs = state("prices", "fast").delayMs();
        long riskDelayMs = state("prices", "risk").delayMs();
        assertThat(riskDelayMs).isGreaterThanOrEqualTo(200);
        await().until(() -> state("prices", "risk").delayMs() >= riskDelayMs + 1500);
        assertThat(named("fast")).hasSize(fastBefore);
        assertDelay(1.5, 5000, 10_000);
        assertThat(state("prices", "fast"))
                .extracting("currentDelayMs", "delayMs")
                .containsExactly(0L, fastDelayMs);
        await().until(() -> topic("prices").publishers().get(0).delayMs() >= 200);
        await().until(() -> events.contains("feed prices 1"));
        BrokerState broker = running.broker().state();
        assertThat(broker.slowSubscriberCount()).isEqualTo(1);
        assertThat(broker.delayMs()).isGreaterThanOrEqualTo(1500);
        assertThat(broker.slowPendingLength()).isBetween(5000L, 10_000L);

        for (int i = 0; i < 100; i++) {
            assertThat(feed.publish("trades", new byte[500])).isEqualTo(PublishResult.PUBLISHED);
        }
        await().until(() -> other.count() == 100);
        long published = prices.publishedCount();

        release.countDown();
        await().until(() -> events.contains("risk recovered prices 1") && events.contains("feed prices 0"));
        assertThat(logged.with("no longer delays"))
                .filteredOn(line -> line.contains("\"risk\""))
                .singleElement()
                .asString()
                .matches("INFO Subscriber \"risk\" at 127.0.0.1:\\d+ no longer delays publisher 1 \"feed\" on topic"
                        + " \"prices\"; the delay lasted \\d+\\.\\d s");
        await().until(() -> fast.count() == published);
        assertThat(events)
                .containsSubsequence("feed prices 1", "feed prices 0")
                .containsSubsequence("risk slow prices 1", "risk recovered prices 1");
        assertThat(risk.causedDelayCount()).isEqualTo(1);
        assertThat(feed.sufferedDelayCount()).isPositive();
        assertThat(running.broker().state().slowSubscriberCount()).isZero();
        assertThat(running.broker().state().slowPendingLength()).isZero();
    }

    @Test
    void shouldTellASubscriberThatHasPausedItsSubscriptionWhileItIsPaused() throws Exception {
        open();
        Subscriber paused = subscriber("paused");
        Subscription subscription = subscribe(paused, "prices/#", message -> {});
        subscription.pause();
        TopicPublisher prices = feed().topic("prices/eur");
        fillUntilNamed(prices, "paused");
        await().until(() -> events.contains("paused slow prices/eur 1"));
        assertThat(subscription.isPaused()).isTrue();
        subscription.resume();
        await().until(() -> events.contains("paused recovered prices/eur 1"));
    }

    @Test
    void shouldReportTheEndOfADelayWhenTheTopicOrTheConnectionEnds() throws Exception {
        open("rbmq.publisher.reconnect.enabled = off");
        Subscription subscription = subscribe(subscriber("risk"), "#", message -> {});
        subscription.pause();
        Publisher feed = feed();
        TopicPublisher prices = feed.topic("prices");
        TopicPublisher trades = feed.topic("trades");
        fillUntilReported(prices);
        subscription.resume();
        // All messages may have arrived within 1 s, in which case the broker does not report the end of the delay.
        prices.close();
        await().until(() -> events.contains("feed prices 0"));
        subscription.pause();
        fillUntilReported(trades);
        running.loseBroker();
        await().until(() -> events.contains("feed trades 0"));
        assertThat(events).containsSubsequence("feed prices 1", "feed prices 0", "feed trades 1", "feed trades 0");
    }

    private void fillUntilReported(TopicPublisher topic) {
        await().until(() -> {
            fill(topic);
            return events.contains("feed " + topic.topic() + " 1");
        });
    }

    @Test
    void shouldNameEachOfSeveralSubscribers() throws Exception {
        open();
        subscribe(subscriber("one"), "prices", this::hold);
        subscribe(subscriber("two"), "prices", this::hold);
        TopicPublisher prices = feed().topic("prices");
        fillUntilNamed(prices, "one");
        fillUntilNamed(prices, "two");
        assertThat(named("one")).singleElement().asString().matches(String.format(LINE, "one", "prices"));
        assertThat(named("two")).singleElement().asString().matches(String.format(LINE, "two", "prices"));
        await().until(() -> events.contains("feed prices 2"));
    }

    @ParameterizedTest
    @CsvSource({
        "rbmq.broker.block-timeout = 2 s, rbmq.broker.block-timeout=2000 ms",
        "'rbmq.topics = [{ match = prices, block-timeout = 2 s }]',"
                + " 'block-timeout=2000 ms of the rule \"prices\" in rbmq.topics'",
    })
    void shouldDisconnectASubscriberThatCrawlsAfterTheBlockTimeoutAndNameTheKey(String setting, String limit)
            throws Exception {
        open(setting);
        Subscriber crawling = subscriber("crawling");
        subscribe(crawling, "prices", message -> permits.acquireUninterruptibly());
        Messages fast = new Messages();
        subscribe(subscriber("fast"), "prices", fast);
        TopicPublisher prices = feed().topic("prices");
        await().until(() -> {
            fill(prices);
            permits.release();
            return !logged.with("\"crawling\"").isEmpty()
                    && running.broker().state().subscriberCount() == 1;
        });
        permits.release(1_000_000);
        await().until(() -> !logged.with("left: ").isEmpty());
        assertThat(logged.with("left: "))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"crawling\" at (\\S+) left: \\1: the subscriber delayed publisher 1 on topic"
                        + " \"prices\" for \\d+ ms, longer than " + Pattern.quote(limit));
        assertThat(logged.with("the delay lasted"))
                .filteredOn(line -> line.contains("\"crawling\""))
                .isNotEmpty();
        assertThatThrownBy(() -> crawling.closed().get(60, TimeUnit.SECONDS))
                .hasMessageContaining("longer than " + limit);
        int before = fast.count();
        await().until(() -> {
            fill(prices);
            return fast.count() > before + 100;
        });
        await().until(() -> running.broker().state().slowSubscriberCount() == 0);
    }

    @Test
    void shouldNameAnOldSubscriberThatConsumesAByteAtATimeAndSendItNoReport() throws Exception {
        open();
        TopicPublisher prices = feed().topic("prices");
        prices.announced().get(60, TimeUnit.SECONDS);
        // Opened last, so that it is closed first and the publisher does not wait for it.
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(SMALL)));
        RawReader raw = new RawReader(own, running, "prices");
        await().until(() -> {
            fill(prices);
            raw.consume(1);
            return !named("raw").isEmpty();
        });
        assertThat(named("raw")).singleElement().asString().matches(String.format(LINE, "raw", "prices"));
        assertThat(raw.consumedLength()).isPositive();
        // The broker's messages arrive in order. Its worker sends a report after logging the delay but before reading
        // the second request, so a report would precede the second reply.
        for (int id = 1; id <= 2; id++) {
            int answers = id;
            raw.client.send(TopicLayout.write(id, null, "other" + id));
            await().until(() -> Collections.frequency(raw.types, RbmqType.TOPIC_LISTED) == answers);
        }
        assertThat(raw.types).doesNotContain(RbmqType.SLOW);
    }

    @Test
    void shouldDelayNobodyUnderThePoliciesSkipAndDisconnect() throws Exception {
        open("rbmq.broker.lag-limit = 5000");
        Subscriber skipping = subscriber("skipping");
        skipping.subscribe("prices", this::hold, SlowPolicy.SKIP).ready().get(60, TimeUnit.SECONDS);
        Subscriber lagging = subscriber("lagging");
        lagging.subscribe("prices", this::hold, SlowPolicy.DISCONNECT).ready().get(60, TimeUnit.SECONDS);
        Messages fast = new Messages();
        subscribe(subscriber("fast"), "prices", fast);
        TopicPublisher prices = feed().topic("prices");
        for (int i = 0; i < 500; i++) {
            assertThat(prices.publish(new byte[500])).isEqualTo(PublishResult.PUBLISHED);
        }
        await().until(() -> fast.count() == 500);
        await().until(() -> !logged.with("left: ").isEmpty());
        assertThat(logged.with("left: ")).singleElement().asString().contains("\"lagging\"", "lags by");
        assertThat(logged.with("\"lagging\"")).noneMatch(line -> line.contains("delay"));
        assertThat(logged.with("\"skipping\"")).noneMatch(line -> line.contains("delay"));
        assertThat(state("prices", "skipping").delayMs()).isZero();
    }

    @Test
    void shouldEndTheEpisodeWithItsOwnLineWhenTheSubscriptionIsClosed() throws Exception {
        open();
        Subscription subscription = subscribe(subscriber("risk"), "prices", message -> {});
        subscription.pause();
        Publisher feed = feed();
        fillUntilNamed(feed.topic("prices"), "risk");
        subscription.close();
        await().until(() -> !logged.with("the delay lasted").isEmpty());
        assertThat(logged.with("the delay lasted"))
                .singleElement()
                .asString()
                .matches("INFO Subscriber \"risk\" at \\S+ stopped receiving topic \"prices\" while it delayed"
                        + " publisher 1 \"feed\"; the delay lasted \\d+\\.\\d s");
        await().until(() -> events.contains("feed prices 0"));
        assertThat(feed.flush(60_000)).isTrue();
    }

    @Test
    void shouldLogFewLinesAboutASubscriberThatDelaysPublishersOnManyTopics() throws Exception {
        open();
        int count = 300;
        Subscription subscription = subscribe(subscriber("risk"), "prices/+", message -> {});
        subscription.pause();
        Publisher feed = feed();
        List<TopicPublisher> topics = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            topics.add(feed.topic("prices/" + i));
        }
        long beginNs = System.nanoTime();
        await().until(() -> {
            topics.forEach(SlowSubscriberSystemTest::fill);
            return running.broker().state().delayCount() >= count;
        });
        subscription.resume();
        await().until(() -> running.broker().state().slowSubscriberCount() == 0);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beginNs) + 1;
        // Each interval is twice as long as the previous one and contains the beginnings and ends of at most ten
        // delays.
        int intervalCount = 2 + Long.SIZE - Long.numberOfLeadingZeros(seconds);
        assertThat(logged.with("delay").size()).isBetween(2, 24 * intervalCount);
        assertThat(running.broker().state().slowPendingLength()).isZero();
    }

    @Test
    void shouldNotLetANameForgeALogLine() throws Exception {
        open();
        String forged = "x\nWARN Subscriber \"y\" left\r\u0085" + "z".repeat(210);
        assertThat(forged.getBytes(UTF_8)).hasSizeLessThanOrEqualTo(255);
        subscribe(subscriber(forged), "prices", this::hold);
        Publisher publisher = running.publisher(running.publisherSettings().withName("a\" on topic \"b"));
        TopicPublisher prices = publisher.topic("prices");
        await().until(() -> {
            fill(prices);
            return !logged.with(IS_DELAYING).isEmpty();
        });
        release.countDown();
        await().until(() -> !logged.with("no longer delays").isEmpty());
        assertThat(logged.with("z".repeat(210)))
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(line -> line.chars().noneMatch(Character::isISOControl))
                .allMatch(line -> line.contains("Subscriber \"x\ufffdWARN Subscriber 'y' left"));
        assertThat(logged.with(IS_DELAYING)).allMatch(line -> line.contains("publisher 1 \"a' on topic 'b\""));
    }

    /**
     * A subscriber without the client library and without feature bits. It consumes data only when a test requests it.
     */
    private static final class RawReader {
        /** Offset of the feature bits in a greeting. */
        private static final int FEATURES = 5;

        private final RawClient client;
        private final List<RbmqType> types = new CopyOnWriteArrayList<>();
        private final RIn in;
        private final int bufferId;
        private long unconsumed;
        private long consumed;

        RawReader(RocketBufs own, RunningBroker running, String topic) throws Exception {
            byte[] greeting = GreetingLayout.write("raw", "");
            Arrays.fill(greeting, FEATURES, FEATURES + Long.BYTES, (byte) 0);
            client = new RawClient(own, running.address(), Role.SUBSCRIBER, greeting);
            client.welcome();
            client.connection().setControlMessageCallback(message -> types.add(RbmqMessage.type(message)));
            in = new RIn(client.connection());
            bufferId = running.broker().topics().stream()
                    .filter(each -> each.name().equals(topic))
                    .findAny()
                    .orElseThrow()
                    .publishers()
                    .get(0)
                    .bufferId();
            in.setDataInCallback((id, data) -> {
                synchronized (this) {
                    unconsumed += data.length();
                }
            });
            in.subscribe(bufferId, 10_000).get(60, TimeUnit.SECONDS);
        }

        synchronized void consume(long length) {
            if (unconsumed >= length) {
                in.dataConsumed(bufferId, length);
                unconsumed -= length;
                consumed += length;
            }
        }

        synchronized long consumedLength() {
            return consumed;
        }
    }
}
