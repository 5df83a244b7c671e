package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.broker.TopicState.GroupState;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of groups from the point of view of a broker's operator: slow members, the API, and reloads. */
@Tag("once")
@Timeout(600)
final class GroupOperationsSystemTest {
    private static final SubscriptionOptions WORKERS = SubscriptionOptions.DEFAULTS.withGroup("workers");
    private static final String[] SMALL = {
        "rbmq.broker.capacity = 10000",
        "rbmq.subscriber.capacity = 10000",
        "rbmq.publisher.capacity = 10000",
        "rocketbufs.heartbeat-interval = 400 ms",
        // A handler that does not return also prevents the client from sending heartbeats.
        "rocketbufs.heartbeat-timeout = 170 s",
        "rbmq.broker.stall-timeout = 170 s",
        "rbmq.broker.block-timeout = "
    };

    private final LoggedLines logged = new LoggedLines();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Semaphore permits = new Semaphore(0);
    private RunningBroker running;

    @AfterEach
    void close() {
        permits.release(1_000_000);
        running.close();
        logged.close();
    }

    private void open(String blockTimeout) {
        running = new RunningBroker(small(blockTimeout));
    }

    private static String[] small(String blockTimeout) {
        String[] settings = SMALL.clone();
        settings[settings.length - 1] += blockTimeout;
        return settings;
    }

    /** Connects a subscriber with its own workers, so that its handlers may block. */
    private Subscriber subscriber(String name) {
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(small("0 s"))));
        ClientSettings settings = running.subscriberSettings().withName(name);
        return running.opened(Subscriber.connect(own, settings, new SubscriberCallback() {
            @Override
            public void onSlow(String topic, int publisher, long waitingLength) {
                events.add(name + " slow " + topic + " " + publisher);
            }

            @Override
            public void onSlowEnd(String topic, int publisher, long delayMs) {
                events.add(name + " recovered " + topic + " " + publisher);
            }
        }));
    }

    private static Subscription member(Subscriber to, MessageHandler handler) throws Exception {
        Subscription member = to.subscribe("jobs", handler, WORKERS);
        member.ready().get(60, TimeUnit.SECONDS);
        return member;
    }

    private static void fill(TopicPublisher topic) {
        while (topic.tryPublish(new byte[500]) == PublishResult.PUBLISHED) {
            continue;
        }
    }

    private TopicState topic() {
        return running.broker().topics().get(0);
    }

    private GroupState group() {
        return topic().groups().get(0);
    }

    @Test
    void shouldNameTheMembersThatDelayAPublisherAndShowThemInTheApi() throws Exception {
        open("0 s");
        Messages plain = new Messages();
        subscriber("plain").subscribe("jobs", plain).ready().get(60, TimeUnit.SECONDS);
        Subscription risk = member(subscriber("risk"), message -> {});
        Subscription desk = member(subscriber("desk"), message -> {});
        risk.pause();
        desk.pause();
        TopicPublisher jobs = running.publisher(running.publisherSettings().withName("feed"), new PublisherCallback() {
                    @Override
                    public void onSlowSubscribers(String topic, int count) {
                        events.add("feed " + topic + " " + count);
                    }
                })
                .topic("jobs");
        await().until(() -> {
            fill(jobs);
            return events.contains("risk slow jobs 1")
                    && events.contains("desk slow jobs 1")
                    && events.contains("feed jobs 2");
        });
        assertThat(logged.with("Subscriber \"risk\"").stream().filter(line -> line.contains("is delaying publisher")))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"risk\" at 127\\.0\\.0\\.1:\\d+ is delaying publisher 1 \"feed\" on topic"
                        + " \"jobs\": \\d+ bytes are waiting \\(slow-policy block\\)");
        long waiting = group().waitingLength();
        assertThat(group()).isEqualTo(new GroupState("workers", "jobs", 2, waiting));
        assertThat(waiting).isPositive();
        checkApi(waiting);

        risk.resume();
        desk.resume();
        await().until(() -> events.contains("risk recovered jobs 1")
                && events.contains("desk recovered jobs 1")
                && events.contains("feed jobs 0")
                && plain.count() == jobs.publishedCount());
        await().until(() -> group().waitingLength() == 0);
        assertThat(running.broker().state().slowSubscriberCount()).isZero();
        assertThat(topic().subscribers())
                .filteredOn(each -> each.group() != null)
                .allSatisfy(each -> assertThat(each.sentLength()).isPositive());
    }

    private void checkApi(long waiting) {
        AdminApi api = new AdminApi(running);
        Config shown = api.list("topics", "?details=true").get(0);
        assertThat(shown.getLong("lagBytes")).isGreaterThanOrEqualTo(waiting);
        assertThat(shown.getConfigList("groupDetails")).singleElement().satisfies(group -> {
            assertThat(group.getString("name")).isEqualTo("workers");
            assertThat(group.getString("filter")).isEqualTo("jobs");
            assertThat(group.getInt("members")).isEqualTo(2);
            assertThat(group.getLong("waitingBytes")).isEqualTo(waiting);
        });
        assertThat(shown.getConfigList("subscriberDetails"))
                .filteredOn(each -> each.hasPath("group"))
                .hasSize(2)
                .allSatisfy(each -> {
                    assertThat(each.getString("group")).isEqualTo("workers");
                    assertThat(each.getLong("slowForMs")).isPositive();
                });
        assertThat(api.object("/api/status").getConfigList("slow"))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.getString("topic")).isEqualTo("jobs"));
        assertThat(api.list("clients", "?sort=delay&role=subscriber"))
                .extracting(client -> client.getString("name"))
                .last()
                .isEqualTo("plain");
    }

    @Test
    void shouldDisconnectAMemberThatDelaysAPublisherForLongerThanTheBlockTimeout() throws Exception {
        open("2 s");
        Subscriber crawling = subscriber("crawling");
        member(crawling, message -> permits.acquireUninterruptibly());
        TopicPublisher jobs = running.publisher().topic("jobs");
        await().until(() -> {
            fill(jobs);
            permits.release();
            return !logged.with("\"crawling\"").isEmpty()
                    && running.broker().state().subscriberCount() == 0;
        });
        permits.release(1_000_000);
        assertThatThrownBy(() -> crawling.closed().get(60, TimeUnit.SECONDS))
                .hasMessageContaining("longer than rbmq.broker.block-timeout=2000 ms");
        await().until(() -> running.broker().state().slowSubscriberCount() == 0);
    }

    // Tests of reloads.

    @Test
    void shouldGiveTheMessagesOfAMemberThatHasLostTheRightToTheOthers() throws Exception {
        String feed = "{ name = feed, token = feed-token, publish = [\"#\"] }, ";
        String other = "{ name = other, token = other-token, subscribe = [jobs] }, ";
        String desk = "{ name = desk, token = desk-token, subscribe = [jobs, news] }";
        running = new RunningBroker("rbmq.users = [" + feed + other + desk + "]");
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        Queue<String> redelivered = new ConcurrentLinkedQueue<>();
        Subscriber losing = running.subscriber(
                running.client().withToken("desk-token").withReconnect(ReconnectFixture.SOON),
                new SubscriberCallback() {});
        Messages news = new Messages();
        losing.subscribe("news", news).ready().get(60, TimeUnit.SECONDS);
        Subscription revoked = member(losing, message -> lost.add(message.text()));
        revoked.pause();
        member(
                running.opened(
                        Subscriber.connect(running.clients(), running.client().withToken("other-token"))),
                message -> {
                    received.add(message.text());
                    if (message.isRedelivered()) {
                        redelivered.add(message.text());
                    }
                });
        Publisher publisher = running.publisher(running.client().withToken("feed-token"));
        for (int i = 0; i < 100; i++) {
            publisher.topic("jobs").publish(Integer.toString(i).getBytes(UTF_8));
        }
        await().until(() -> received.size() >= 100 - 32);
        running.reload("rbmq.users = [" + feed + other + desk.replace("jobs, ", "") + "]");
        revoked.closed().get(60, TimeUnit.SECONDS);
        await().until(() -> received.size() == 100);
        assertThat(received).doesNotHaveDuplicates();
        assertThat(redelivered).isNotEmpty();
        assertThat(lost).isEmpty();
        await().until(() -> {
            publisher.topic("news").publish(new byte[1]);
            return news.count() > 0;
        });
    }

    @Test
    void shouldUseTheBatchOfAReloadForGroupsThatBeginLater() throws Exception {
        running = new RunningBroker();
        Messages working = new Messages();
        Subscription paused = member(running.subscriber(), message -> {});
        paused.pause();
        member(running.subscriber(), working);
        assertThat(running.reload("rbmq.broker.group-batch = 1").changes()).hasSize(1);
        TopicPublisher jobs = running.publisher().topic("jobs");
        for (int i = 0; i < 100; i++) {
            jobs.publish(new byte[1]);
        }
        await().until(() -> working.count() >= 98);
        paused.resume();
        await().until(() -> paused.receivedCount() + working.count() == 100);
    }
}
