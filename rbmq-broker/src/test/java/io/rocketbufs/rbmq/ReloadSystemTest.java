package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.ReconnectFixture.SOON;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.broker.ReloadException;
import io.rocketbufs.rbmq.broker.ReloadReport;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of clients that are connected while the broker's configuration changes. */
@Tag("once")
@Timeout(600)
final class ReloadSystemTest {
    private static final String DESK = "{ name = desk, token = desk-token, subscribe = [\"prices/#\", news] }";
    private static final String FEED = "{ name = feed, token = feed-token, publish = [\"prices/#\", news] }";
    private static final String OTHER = "{ name = other, token = other-token, publish = [news] }";

    private final Continuity seen = new Continuity();
    private final List<String> losses = new CopyOnWriteArrayList<>();
    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final PublisherCallback onLoss = new PublisherCallback() {
        @Override
        public void onDisconnected(TransportException cause, long nextAttemptMs) {
            losses.add(cause.getMessage());
        }

        @Override
        public void onTopicRefused(String topic, TransportException refusal) {
            refusals.add(topic + ": " + refusal.getMessage());
        }
    };
    private RunningBroker running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private void start(String... settings) {
        running = new RunningBroker(settings);
    }

    private static String users(String... users) {
        return "rbmq.users = [" + String.join(", ", users) + "]";
    }

    private ClientSettings as(String user) {
        return running.client().withReconnect(SOON).withToken(user + "-token");
    }

    private TopicPublisher topic(String user, String name) throws Exception {
        TopicPublisher topic = running.publisher(as(user), onLoss).topic(name);
        get(topic.announced());
        return topic;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(ExecutionException.class, () -> get(future)).getCause();
    }

    // Tests of changed users.

    @Test
    void shouldDisconnectAClientWhoseUserIsRemovedWhileItPublishes() throws Exception {
        start(users(DESK, FEED, OTHER));
        Subscriber desk = running.subscriber(as("desk"), seen);
        get(desk.subscribe("prices/#", seen).ready());
        get(desk.subscribe("news", seen).ready());
        TopicPublisher news = topic("other", "news");
        Publisher feed = running.publisher(as("feed"), onLoss);
        TopicPublisher prices = feed.topic("prices/eur");
        CompletableFuture<Long> published = CompletableFuture.supplyAsync(() -> publishUntilRefused(prices), thread());
        await().until(() -> seen.next("prices/eur") > 1000);
        Continuity.publish(news, 0, 10);
        try (LoggedLines log = new LoggedLines()) {
            ReloadReport report = running.reload(users(DESK, OTHER));
            assertThat(report.changes()).containsExactly("rbmq.users: user \"feed\" removed");
            assertThat(report.notApplied()).isEmpty();
            assertThat(failureOf(feed.closed())).hasMessageContaining("the token is not valid");
            assertThat(log.with("rbmq.users: user \"feed\" removed")).hasSize(1);
            assertThat(log.with("Publisher 2"))
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("WARN Publisher 2")
                            .contains("is disconnected: user \"feed\" was removed from the broker's rbmq.users"));
        }
        assertThat(losses).hasSize(1);
        assertThat(losses.get(0)).contains("user \"feed\" was removed from the broker's rbmq.users");
        assertThat(get(published)).isGreaterThan(1000);
        await().until(() -> running.broker().state().publisherCount() == 1);
        await().until(() -> seen.ends() == 1);
        assertThat(running.broker().topics()).extracting(TopicState::name).doesNotContain("prices/eur");
        Continuity.publish(news, 10, 20);
        await().until(() -> seen.next("news") == 20);
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.events()).isEmpty();
    }

    private static long publishUntilRefused(TopicPublisher topic) {
        for (long i = 0; ; i++) {
            if (topic.publish(ByteBuffer.allocate(8).putLong(0, i)) != PublishResult.PUBLISHED) {
                return i;
            }
        }
    }

    private static Executor thread() {
        return task -> new Thread(task, "publishing").start();
    }

    @Test
    void shouldDisconnectAClientWhoseTokenFileHasAnotherToken(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "feed-token\n");
        String users = users("{ name = feed, token-file = \"" + file + "\", publish = [\"#\"] }", OTHER);
        start(users);
        TopicPublisher topic = topic("feed", "t");
        TopicPublisher news = topic("other", "news");
        assertThat(running.reload(users).changes()).isEmpty();
        Files.writeString(file, "next-token\n");
        ReloadReport report = running.reload(users);
        assertThat(report.changes()).containsExactly("rbmq.users: user \"feed\": token replaced");
        await().until(() -> topic.publish(new byte[1]) == PublishResult.NOT_CONNECTED);
        assertThat(losses)
                .hasSize(1)
                .allSatisfy(loss -> assertThat(loss)
                        .contains("the token of user \"feed\" was replaced in the broker's rbmq.users"));
        topic("next", "t");
        assertThat(news.publish(new byte[1])).isEqualTo(PublishResult.PUBLISHED);
        Files.delete(file);
        assertThatThrownBy(() -> running.reload(users))
                .isInstanceOf(ReloadException.class)
                .hasMessageContaining("rbmq.users[0].token-file: cannot read the token file " + file);
        topic("next", "u");
    }

    @Test
    void shouldDisconnectClientsWithoutATokenWhenOneIsRequired() throws Exception {
        start();
        Subscriber anonymous = running.subscriber(running.client().withReconnect(SOON), seen);
        get(anonymous.subscribe("news", seen).ready());
        Subscriber early = running.subscriber(as("desk"), new SubscriberCallback() {});
        get(early.subscribe("news", seen).ready());
        assertThat(running.reload(users(DESK)).changes()).containsExactly("rbmq.users: user \"desk\" added");
        assertThat(failureOf(anonymous.closed())).hasMessageContaining("a token is required");
        assertThat(seen.events().get(0)).contains("the broker no longer accepts clients without a valid token");
        // The other client has presented a token that now belongs to the user.
        await().until(() -> early.reconnectCount() == 1);
        assertThat(running.reload().changes()).containsExactly("rbmq.users: user \"desk\" removed");
        await().until(() -> early.reconnectCount() == 2);
    }

    @Test
    void shouldReplaceCredentialsWithoutAnInterruption() throws Exception {
        start("rbmq.credentials = [old-token]");
        TopicPublisher old = topic("old", "t");
        assertThat(running.reload("rbmq.credentials = [new-token, old-token]").changes())
                .containsExactly("rbmq.credentials: tokens added: 1");
        TopicPublisher next = topic("new", "u");
        assertThat(running.reload("rbmq.credentials = [new-token]").changes())
                .containsExactly("rbmq.credentials: tokens removed: 1");
        await().until(() -> old.publish(new byte[1]) == PublishResult.NOT_CONNECTED);
        assertThat(losses)
                .hasSize(1)
                .allSatisfy(loss -> assertThat(loss)
                        .contains("the token was removed from the broker's rbmq.credentials")
                        .doesNotContain("old-token"));
        assertThat(next.publish(new byte[1])).isEqualTo(PublishResult.PUBLISHED);
    }

    @Test
    void shouldContinueToCountTheConnectionsOfAUser() throws Exception {
        String user = "{ name = few, token = few-token, publish = [t], max-connections = ";
        start(users(user + "2 }"));
        Publisher first = running.publisher(as("few"));
        running.publisher(as("few"));
        assertThat(running.reload(users(user + "1 }")).changes())
                .containsExactly("rbmq.users: user \"few\": max-connections: 2 -> 1, for new connections");
        first.close();
        await().until(() -> running.broker().state().publisherCount() == 1);
        assertThatThrownBy(() -> running.publisher(as("few"))).hasMessageContaining("max-connections=1");
        running.reload(users(user + "3 }"));
        running.publisher(as("few"));
        running.publisher(as("few"));
        assertThatThrownBy(() -> running.publisher(as("few"))).hasMessageContaining("max-connections=3");
    }

    @Test
    void shouldLeaveNoClientOfARemovedUserWhenManyConnectDuringTheReload() throws Exception {
        String[] with = {users(DESK, FEED)};
        start(with);
        AtomicBoolean ends = new AtomicBoolean();
        AtomicInteger connectedCount = new AtomicInteger();
        Thread[] connecting = new Thread[4];
        for (int i = 0; i < connecting.length; i++) {
            Role role = i % 2 == 0 ? Role.PUBLISHER : Role.SUBSCRIBER;
            connecting[i] = new Thread(() -> {
                while (!ends.get()) {
                    try {
                        new RawClient(
                                running.clients(), running.address(), role, GreetingLayout.write("raw", "feed-token"));
                        connectedCount.incrementAndGet();
                    } catch (Exception e) {
                        assertThat(e).hasMessageContaining("the token is not valid");
                    }
                }
            });
            connecting[i].start();
        }
        for (int i = 0; i < 20; i++) {
            int before = connectedCount.get();
            await().until(() -> connectedCount.get() > before + 2);
            running.reload(users(DESK));
            await().until(() -> running.broker().state().publisherCount() == 0
                    && running.broker().state().subscriberCount() == 0);
            running.reload(with);
        }
        ends.set(true);
        for (Thread thread : connecting) {
            thread.join();
        }
    }

    // Tests of changed rights.

    @Test
    void shouldEndOnlyTheSubscriptionsToWhichASubscriberHasLostTheRight() throws Exception {
        String keep = "rbmq.broker.keep = 1 MiB"; // so that the other subscriptions miss no messages
        start(users(DESK, FEED), keep);
        Subscriber desk = running.subscriber(as("desk"), seen);
        Subscription prices = desk.subscribe("prices/#", seen);
        get(prices.ready());
        get(desk.subscribe("prices/eur/+", seen).ready());
        get(desk.subscribe("news", seen).ready());
        TopicPublisher eur = topic("feed", "prices/eur/x");
        TopicPublisher news = topic("feed", "news");
        Continuity.publish(eur, 0, 10);
        Continuity.publish(news, 0, 10);
        await().until(() -> seen.next("prices/eur/x") == 10 && seen.next("news") == 10);
        String narrowed = DESK.replace("prices/#", "prices/eur/#");
        assertThat(running.reload(users(narrowed, FEED), keep).changes())
                .containsExactly("rbmq.users: user \"desk\": subscribe: prices/#, news -> prices/eur/#, news");
        String reason = "user \"desk\" may subscribe to prices/eur/#, news, but not to every topic that matches"
                + " \"prices/#\"; to allow it, change the broker's rbmq.users.subscribe";
        get(prices.closed());
        assertThat(seen.events().get(0)).contains("the broker's configuration has changed: " + reason);
        await().until(() -> desk.reconnectCount() == 1);
        Continuity.publish(eur, 10, 20);
        Continuity.publish(news, 10, 20);
        await().until(() -> seen.next("prices/eur/x") == 20 && seen.next("news") == 20);
        assertThat(seen.missedCount("prices/eur/x") + seen.missedCount("news")).isZero();
        assertThat(losses).isEmpty();
        assertThat(seen.faults())
                .hasSize(1)
                .allSatisfy(fault -> assertThat(fault).contains(reason));
        assertThat(running.broker().state().subscriberCount()).isEqualTo(1);
        assertThat(running.reload(users(narrowed, FEED), keep).changes()).isEmpty();
        assertThat(desk.reconnectCount()).isEqualTo(1);
    }

    @Test
    void shouldEndOnlyTheTopicsToWhichAPublisherHasLostTheRight() throws Exception {
        start(users(DESK, FEED));
        Subscriber desk = running.subscriber(as("desk"), seen);
        get(desk.subscribe("prices/#", seen).ready());
        get(desk.subscribe("news", seen).ready());
        Publisher feed = running.publisher(as("feed"), onLoss);
        TopicPublisher prices = feed.topic("prices/eur");
        TopicPublisher news = feed.topic("news");
        Continuity.publish(prices, 0, 10);
        Continuity.publish(news, 0, 10);
        assertThat(feed.flush(60_000)).isTrue();
        String narrowed = FEED.replace("\"prices/#\", ", "");
        running.reload(users(DESK, narrowed));
        await().until(() -> prices.publish(new byte[8]) == PublishResult.REFUSED);
        await().until(() -> refusals.size() == 1);
        assertThat(refusals.get(0))
                .startsWith("prices/eur: the broker refused topic \"prices/eur\": ")
                .contains("the broker's configuration has changed: user \"feed\" may publish to news, but"
                        + " not to topic \"prices/eur\"; to allow it, change the broker's rbmq.users.publish");
        Continuity.publish(news, 10, 20);
        await().until(() -> seen.next("news") == 20 && seen.next("prices/eur") >= 10 && seen.ends() == 1);
        assertThat(losses).isEmpty();
        assertThat(seen.events()).isEmpty();
        assertThat(failureOf(feed.topic("prices/usd").announced()))
                .hasMessageContaining("user \"feed\" may publish to news, but not to topic \"prices/usd\"");
        running.reload(users(DESK, FEED));
        get(feed.topic("prices/chf").announced());
        assertThat(feed.reconnectCount()).isZero();
    }

    @Test
    void shouldDropWhatAHostilePublisherSendsForATopicThatItHasLost() throws Exception {
        start(users(DESK, FEED));
        Messages received = new Messages();
        get(running.subscriber(as("desk"), new SubscriberCallback() {})
                .subscribe("prices/#", received)
                .ready());
        RawClient raw = new RawClient(
                running.clients(), running.address(), Role.PUBLISHER, GreetingLayout.write("raw", "feed-token"));
        raw.createBuffer(1, 4096);
        raw.announce(1, 4096, "prices/eur");
        assertThat(raw.nextNotice()).startsWith("ANNOUNCED");
        raw.createBuffer(2, 4096);
        raw.announce(2, 4096, "news");
        assertThat(raw.nextNotice()).startsWith("ANNOUNCED");
        raw.deliver(1, new byte[] {0, 0, 0, 1, 'a'});
        await().until(() -> received.texts().size() == 1);
        running.reload(users(DESK, FEED.replace("\"prices/#\", ", "")));
        raw.deliver(1, new byte[] {0, 0, 0, 1, 'b'});
        assertThat(raw.nextNotice()).startsWith("ANNOUNCE_REFUSED the broker's configuration has changed");
        raw.announce(1, 4096, "prices/eur");
        assertThat(raw.nextNotice()).startsWith("ANNOUNCE_REFUSED user \"feed\" may publish to news");
        raw.announce(3, 4096, "news");
        assertThat(raw.nextNotice()).contains("is already announced");
        assertThat(received.texts().size()).isLessThanOrEqualTo(2);
        assertThat(raw.connection().isOpen()).isTrue();
    }

    // Tests of changed buffers, rules and limits.

    @Test
    void shouldApplySettingsOfBuffersToTopicsThatAreAnnouncedLater() throws Exception {
        start("rbmq.publisher.capacity = 64 KiB");
        get(running.publisher().topic("a").announced());
        ReloadReport report = running.reload(
                "rbmq.broker { capacity = 4 MiB, keep = 0, lag-timeout = 1000 ms }",
                "rbmq.topics = [{ match = \"c/#\", capacity = 2 MiB }]");
        assertThat(report.changes())
                .containsExactly(
                        "rbmq.broker.capacity: 1 MiB -> 4 MiB, for topics announced from now on",
                        "rbmq.topics: rule \"c/#\" added: capacity=\"2 MiB\", for topics announced from now on");
        get(running.publisher().topic("b").announced());
        get(running.publisher().topic("c/d").announced());
        assertThat(running.broker().topics())
                .extracting(topic -> topic.name() + " " + topic.rule() + " "
                        + topic.publishers().get(0).capacity())
                .containsExactly("a null 1048576", "b null 4194304", "c/d c/# 2097152");
        assertThat(running.reload("rbmq.broker.capacity = 4096 KiB").changes())
                .containsExactly("rbmq.topics: rule \"c/#\" removed, for topics announced from now on");
    }

    @Test
    void shouldApplyLimitsToLaterRequests() throws Exception {
        start("rbmq.limits.topics-per-connection = 1", "rbmq.limits.subscriptions-per-connection = 1");
        Publisher publisher = running.publisher();
        get(publisher.topic("a").announced());
        assertThat(failureOf(publisher.topic("b").announced())).hasMessageContaining("topics-per-connection=1");
        Subscriber subscriber = running.subscriber();
        get(subscriber.subscribe("a", seen).ready());
        assertThat(running.reload().changes())
                .containsExactly(
                        "rbmq.limits.subscriptions-per-connection: 1 -> 10000, for requests from now on",
                        "rbmq.limits.topics-per-connection: 1 -> 40000, for requests from now on");
        get(publisher.topic("c").announced());
        get(subscriber.subscribe("#", seen).ready());
        running.reload("rbmq.broker.topics-per-filter = 1");
        assertThat(failureOf(subscriber.subscribe("+", seen).ready()))
                .hasMessageContaining("matches 2 topics, more than rbmq.broker.topics-per-filter=1");
    }

    // Tests of settings that cannot change.

    @Test
    void shouldNameWhatNeedsARestartUntilItIsRestored() {
        start();
        for (int i = 0; i < 2; i++) {
            ReloadReport report =
                    running.reload("rbmq.port = 7620", "rbmq.admin.enabled = off", "rocketbufs.tcp.num-threads = 7");
            assertThat(report.changes()).isEmpty();
            assertThat(report.notApplied())
                    .containsExactly(
                            "rbmq.admin.enabled: true -> off is not applied, because it needs a restart",
                            "rbmq.port: 0 -> 7620 is not applied, because it needs a restart",
                            "rocketbufs.tcp.num-threads: 0 -> 7 is not applied, because it needs a restart");
        }
        assertThat(running.broker().adminAddress()).isNotNull();
        assertThat(running.publisher().isConnected()).isTrue();
        assertThat(running.reload().notApplied()).isEmpty();
    }

    @Test
    void shouldChangeNothingWhenThereIsAMistake() throws Exception {
        String[] right = {users(DESK, FEED), "rbmq.broker.capacity = 2 MiB"};
        start(right);
        TopicPublisher topic = topic("feed", "prices/eur");
        try (LoggedLines log = new LoggedLines()) {
            ReloadException refused = catchThrowableOfType(
                    ReloadException.class,
                    () -> running.reload(users(OTHER.replace("news", "\"a/#/b\"")), "rbmq.broker.capacity = 1 MiB"));
            assertThat(refused.mistakes()).hasSize(1);
            assertThat(refused).hasMessageContaining("String: 6: rbmq.users[0].publish: ");
            assertThat(log.with("rbmq.users[0].publish"))
                    .hasSize(1)
                    .allSatisfy(line -> assertThat(line).startsWith("ERROR "));
            assertThat(log.with("nothing has changed")).hasSize(1);
        }
        assertThat(topic.publish("x".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        topic("feed", "prices/usd");
        assertThat(running.reload(right).changes()).isEmpty();
        assertThat(losses).isEmpty();
    }

    @Test
    void shouldNotExposeAnAddressOnWhichTheBrokerStillListens() {
        String exposed = "rbmq.address = 0.0.0.0";
        start(exposed, users(DESK));
        assertThatThrownBy(() -> running.reload())
                .isInstanceOf(ReloadException.class)
                .hasMessageContaining("rbmq.address: \"0.0.0.0\", on which the broker listens until it is restarted, is"
                        + " not a loopback address: set rbmq.credentials or rbmq.users");
        assertThatThrownBy(() -> running.publisher()).hasMessageContaining("a token is required");
        try (LoggedLines log = new LoggedLines()) {
            running.reload(exposed, "rbmq.insecure = true");
            assertThat(log.with("Unauthenticated clients are accepted on [0.0.0.0:"))
                    .hasSize(1);
        }
        assertThat(running.publisher().isConnected()).isTrue();
    }

    @Test
    void shouldRefuseAReloadWhenTheBrokerIsClosed() {
        start();
        running.broker().close();
        assertThatThrownBy(() -> running.reload())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the broker is closed");
        running.broker().reloadOnSignal();
    }
}
