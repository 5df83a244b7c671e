package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.RIn;
import io.rocketbufs.Role;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of clients that act within and beyond the rights of their users. */
@Tag("once")
@Timeout(600)
final class PermissionsSystemTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final String ONLY_PRICES = "may publish to prices/#, but not to topic ";

    private final RunningBroker running = new RunningBroker(
            "rbmq.users = [",
            "{ name = feed, token = feed-token, publish = [\"prices/#\"] }",
            "{ name = desk, token = desk-token, subscribe = [\"prices/#\", news] }",
            "{ name = one, token = one-token, publish = [t], subscribe = [t] }",
            "{ name = all, token = all-token, publish = [\"#\"], subscribe = [\"#\"] }",
            "{ name = asker, token = asker-token, publish = [\"calc/#\"] }",
            "{ name = calc, token = calc-token, subscribe = [\"calc/+\"] }",
            "{ name = few, token = few-token, publish = [t], max-connections = 2 }",
            "]",
            "rbmq.anonymous.subscribe = [\"public/#\"]");

    @AfterEach
    void close() {
        running.close();
    }

    private ClientSettings as(String user) {
        return running.client().withToken(user + "-token");
    }

    private Subscriber subscriber(String user) {
        return running.subscriber(as(user), new SubscriberCallback() {});
    }

    private RbmqClient client(String user) {
        return running.opened(RbmqClient.connect(ClientOptions.from(RunningBroker.config())
                .withBrokers(HostPort.of(running.address()))
                .withToken(user + "-token")));
    }

    private RawClient raw(Role role, String user) throws Exception {
        return new RawClient(running.clients(), running.address(), role, GreetingLayout.write("raw", user + "-token"));
    }

    private long refusals(String reason) {
        return running.broker().state().refusals().get(reason);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static Throwable failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(ExecutionException.class, () -> get(future)).getCause();
    }

    // Tests of topics.

    @Test
    void shouldRefuseAPublisherTopicsBeyondItsRights() throws Exception {
        Publisher feed = running.publisher(as("feed"));
        for (String topic : List.of("trades", "prices-eur", "/prices/eur", "a/prices")) {
            assertThat(failureOf(feed.topic(topic).announced()))
                    .isInstanceOfSatisfying(TransportException.class, refused -> {
                        assertThat(refused.code()).isEqualTo(TransportException.Code.REFUSED);
                        assertThat(refused)
                                .hasMessage("the broker refused topic \"" + topic + "\": user \"feed\" " + ONLY_PRICES
                                        + "\"" + topic + "\"; to allow it, change the broker's rbmq.users.publish");
                    });
        }
        assertThat(refusals("publish")).isEqualTo(4);
        get(feed.topic("prices/eur").announced());
        get(feed.topic("prices").announced());
        assertThat(failureOf(running.publisher(as("desk")).topic("prices/eur").announced()))
                .hasMessageContaining("user \"desk\" may not publish to topic \"prices/eur\"; to allow it, change");
        assertThat(running.broker().topics()).extracting(topic -> topic.name()).containsExactly("prices", "prices/eur");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "+", "+/#", "+/eur", "/prices/#", "trades", "prices-eur", "trades/#", "new"})
    void shouldRefuseASubscriberFiltersBeyondItsRights(String filter) {
        Subscriber desk = subscriber("desk");
        boolean isWildcard = filter.contains("+") || filter.contains("#");
        assertThat(failureOf(desk.subscribe(filter, new Messages()).ready()))
                .isInstanceOfSatisfying(TransportException.class, refused -> {
                    assertThat(refused.code()).isEqualTo(TransportException.Code.REFUSED);
                    assertThat(refused)
                            .hasMessage("the broker refused the subscription to \"" + filter
                                    + "\": user \"desk\" may subscribe to prices/#, news, but not to "
                                    + (isWildcard ? "every topic that matches \"" : "topic \"") + filter
                                    + "\"; to allow it, change the broker's rbmq.users.subscribe");
                });
        assertThat(refusals("subscribe")).isEqualTo(1);
        assertThat(running.broker().topics()).isEmpty();
    }

    @Test
    void shouldDeliverTheTopicsThatAFilterWithinTheRightsMatches() throws Exception {
        Subscriber desk = subscriber("desk");
        Messages received = new Messages();
        for (String filter : List.of("news", "prices", "prices/+", "prices/+/x/#")) {
            get(desk.subscribe(filter, received).ready());
        }
        Publisher feed = running.publisher(as("feed"));
        Publisher all = running.publisher(as("all"));
        feed.publish("prices", "1".getBytes(UTF_8));
        feed.publish("prices/eur", "2".getBytes(UTF_8));
        feed.publish("prices/eur/x", "3".getBytes(UTF_8));
        all.publish("news", "4".getBytes(UTF_8));
        all.publish("trades", "5".getBytes(UTF_8));
        assertThat(feed.flush(60_000) && all.flush(60_000)).isTrue();
        await().until(() -> received.texts().size() == 4);
        assertThat(received.texts()).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(refusals("publish") + refusals("subscribe")).isZero();
    }

    @Test
    void shouldRefuseWildcardsToAUserOfOneTopic() throws Exception {
        Subscriber one = subscriber("one");
        for (String filter : List.of("#", "+", "t/#")) {
            assertThat(failureOf(one.subscribe(filter, new Messages()).ready()))
                    .hasMessageContaining("may subscribe to t,");
        }
        get(one.subscribe("t", new Messages()).ready());
    }

    @ParameterizedTest
    @ValueSource(strings = {"$SYS/#", "$SYS/a", "$R/#", "$"})
    void shouldRefuseTopicsThatBeginWithADollarSignToAUserOfAllTopics(String name) throws Exception {
        byte[] bytes = name.getBytes(UTF_8);
        RawClient subscriber = raw(Role.SUBSCRIBER, "all");
        subscriber.send(ByteBuffer.allocate(7 + bytes.length)
                .put(new byte[] {4, 1, 0, 0, 0, 1, 0})
                .put(bytes)
                .flip());
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED").contains("begins with $");
        RawClient publisher = raw(Role.PUBLISHER, "all");
        publisher.send(ByteBuffer.allocate(14 + bytes.length)
                .put(new byte[] {1, 1})
                .putInt(1)
                .putLong(1000)
                .put(bytes)
                .flip());
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCE_REFUSED");
    }

    // Tests of clients that subscribe to buffers, not to topics.

    @Test
    void shouldHideTheBuffersOfTopicsBeyondTheRights() throws Exception {
        Publisher all = running.publisher(as("all"));
        get(all.topic("trades").announced());
        get(all.topic("prices/eur").announced());
        RIn spy = reading("desk-token");
        assertThat(failureOf(spy.subscribe(bufferOf("trades"), 1 << 20)))
                .hasMessageContaining("buffer " + bufferOf("trades") + " does not exist");
        assertThat(refusals("subscribe")).isEqualTo(1);
        get(spy.subscribe(bufferOf("prices/eur"), 1 << 20));
        assertThat(failureOf(spy.subscribe(1_000_000, 1 << 20))).hasMessageContaining("does not exist");
        assertThat(refusals("subscribe")).isEqualTo(1);
        assertThat(failureOf(reading("").subscribe(bufferOf("trades"), 1 << 20)))
                .hasMessageContaining("does not exist");
    }

    @Test
    void shouldSendTheDataOfAPublisherThatHasLeftOnlyToASubscriberWithTheRight() throws Exception {
        try (RunningBroker patient = new RunningBroker(
                "rbmq.users = [",
                "{ name = feed, token = feed-token, publish = [t] }",
                "{ name = desk, token = desk-token, subscribe = [t] }",
                "{ name = other, token = other-token, subscribe = [u] }",
                "]",
                "rbmq.broker { join-timeout = 100 s, drain-timeout = 100 s }")) {
            RawReader desk = new RawReader(patient.clients(), patient.address(), "desk-token");
            RawReader other = new RawReader(patient.clients(), patient.address(), "other-token");
            desk.subscribe("t");
            await().until(() -> patient.broker().topics().size() == 1);
            RawClient feed = new RawClient(
                    patient.clients(), patient.address(), Role.PUBLISHER, GreetingLayout.write("raw", "feed-token"));
            feed.createBuffer(1, 4096);
            feed.announce(1, 4096, "t");
            feed.deliver(1, new byte[] {0, 0, 0, 1, 'x'});
            int id = desk.listedBuffer();
            feed.removeBuffer(1);
            feed.connection().close();
            await().until(() -> patient.broker().state().publisherCount() == 0);
            assertThat(failureOf(other.subscribe(id, SubscribeOptions.DEFAULTS)))
                    .hasMessageContaining("does not exist");
            get(desk.subscribe(id, SubscribeOptions.DEFAULTS));
            await().until(() -> !desk.events().isEmpty());
            assertThat(desk.events().get(0)).isEqualTo("x");
            assertThat(other.events()).isEmpty();
        }
    }

    @Test
    void shouldHideTheBuffersOfTheInboxesOfOthersEvenFromAUserOfAllTopics() throws Exception {
        RawClient requester = raw(Role.SUBSCRIBER, "all");
        String inbox = requester.welcome().inbox();
        RawClient responder = raw(Role.PUBLISHER, "all");
        responder.createBuffer(1, 4096);
        responder.announce(1, 4096, inbox);
        assertThat(responder.nextNotice()).startsWith("ANNOUNCED");
        RIn spy = reading("all-token");
        assertThat(failureOf(spy.subscribe(bufferOf(inbox), 4096))).hasMessageContaining("does not exist");
        assertThat(refusals("subscribe")).isEqualTo(1);
        RawClient other = raw(Role.SUBSCRIBER, "all");
        other.send(TopicLayout.write(1, null, inbox));
        assertThat(other.nextNotice()).startsWith("TOPIC_REFUSED inbox");
    }

    /** Connects a subscriber that subscribes to buffers directly. */
    private RIn reading(String token) throws Exception {
        CompletableFuture<RIn> reading = new CompletableFuture<>();
        get(running.clients()
                .connect(
                        running.address(),
                        ConnectOptions.as(Role.SUBSCRIBER, connection -> reading.complete(new RIn(connection)))
                                .withGreeting(GreetingLayout.write("spy", token))));
        return get(reading);
    }

    private int bufferOf(String name) {
        return running.broker().topics().stream()
                .filter(topic -> topic.name().equals(name))
                .findFirst()
                .orElseThrow()
                .publishers()
                .get(0)
                .bufferId();
    }

    // Tests of requests.

    @Test
    void shouldLetAUserRequestWhatItMayPublishAndAnotherReplyToWhatItMaySubscribeTo() throws Exception {
        get(client("calc")
                .respond("calc/+", (request, replier) -> replier.reply(request.text() + "!"))
                .ready());
        RbmqClient asker = client("asker");
        assertThat(get(asker.request("calc/add", "1".getBytes(UTF_8), LONG)).text())
                .isEqualTo("1!");
        assertThat(failureOf(asker.request("other", new byte[0], LONG)))
                .isInstanceOfSatisfying(RequestException.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(RequestException.Reason.REFUSED);
                    assertThat(refused)
                            .hasMessageContaining("user \"asker\" may publish to calc/#, but not to topic \"other\"");
                });
        assertThat(failureOf(asker.respond("calc/add", (request, replier) -> {}).ready()))
                .hasMessageContaining("user \"asker\" may not subscribe to topic \"calc/add\"");
    }

    @Test
    void shouldNotLetAUserThatCannotReceiveRequestsReply() throws Exception {
        RawClient feed = raw(Role.PUBLISHER, "feed");
        feed.createBuffer(1, 4096);
        feed.announce(1, 4096, InboxName.random());
        assertThat(feed.nextNotice())
                .isEqualTo(
                        "ANNOUNCE_REFUSED user \"feed\" may not reply to requests, because it may not subscribe to any"
                                + " topic; to allow it, change the broker's rbmq.users.subscribe");
    }

    // Tests of connections.

    @ParameterizedTest
    @CsvSource({"feed, wrong", "unknown, wrong", "feed, feed-toke", "desk, feed-token2"})
    void shouldNotRevealWhetherAUserExists(String name, String token) throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            ClientSettings guess = running.client().withName(name).withToken(token);
            assertThatThrownBy(() -> running.publisher(guess))
                    .isInstanceOf(TransportException.class)
                    .hasMessageEndingWith("refused: the token is not valid");
            await().until(() -> !logged.with("the token is not valid").isEmpty());
            assertThat(logged.with(token)).isEmpty();
        }
        assertThat(refusals("wrong-token")).isEqualTo(1);
        assertThat(running.broker().state().refusedCount()).isEqualTo(1);
    }

    @Test
    void shouldLetAnonymousClientsOnlyDoWhatTheSettingsAllow() throws Exception {
        Subscriber anonymous = running.subscriber();
        get(anonymous.subscribe("public/#", new Messages()).ready());
        assertThat(failureOf(anonymous.subscribe("news", new Messages()).ready()))
                .hasMessageContaining(
                        "an anonymous client may subscribe to public/#, but not to topic \"news\"; present a"
                                + " token, or change the broker's rbmq.anonymous.subscribe");
        assertThat(failureOf(running.publisher().topic("public/a").announced()))
                .hasMessageContaining("an anonymous client may not publish to topic \"public/a\"");
        assertThat(refusals("no-token")).isZero();
    }

    @Test
    void shouldAcceptAnonymousClientsOnlyOnTheLoopbackListener() throws Exception {
        try (RunningBroker two = new RunningBroker(
                "rbmq.users = [{ name = u, token = x, subscribe = [t] }]",
                "rbmq.anonymous.subscribe = [t]",
                "rbmq.listeners = [{transport = tcp, port = 0}, {transport = tcp, address = 0.0.0.0, port = 0}]")) {
            ClientSettings exposed = two.client()
                    .withBroker(new InetSocketAddress(
                            "127.0.0.1", two.broker().addresses().get(1).getPort()));
            get(two.subscriber(two.client(), new SubscriberCallback() {})
                    .subscribe("t", new Messages())
                    .ready());
            assertThatThrownBy(() -> two.subscriber(exposed, new SubscriberCallback() {}))
                    .hasMessageEndingWith("refused: a token is required");
            get(two.subscriber(exposed.withToken("x"), new SubscriberCallback() {})
                    .subscribe("t", new Messages())
                    .ready());
        }
    }

    @Test
    void shouldRefuseAUserFurtherConnectionsThanItsMaximum() throws Exception {
        Publisher first = running.publisher(as("few"));
        running.publisher(as("few"));
        assertThatThrownBy(() -> running.publisher(as("few")))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        refused -> assertThat(refused.code()).isEqualTo(TransportException.Code.RESOURCES))
                .hasMessageEndingWith("refused: user \"few\" has reached max-connections=2; try again when a connection"
                        + " has ended, or raise the limit in the broker's rbmq.users");
        assertThat(refusals("max-connections")).isEqualTo(1);
        assertThat(running.publisher(as("feed")).isConnected()).isTrue();
        first.close();
        await().ignoreExceptionsInstanceOf(TransportException.class)
                .until(() -> running.publisher(as("few")).isConnected());
    }

    @Test
    void shouldNotCountAConnectionThatIsRefusedForAnotherReason() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> raw(Role.PEER, "few")).hasMessageContaining("accepts only publishers");
        }
        running.publisher(as("few"));
        running.publisher(as("few"));
    }

    @Test
    void shouldRefuseRandomBytesAsAGreeting() throws Exception {
        long seed = System.nanoTime();
        byte[] greeting = new byte[4096];
        new Random(seed).nextBytes(greeting);
        greeting[0] = 0;
        assertThatThrownBy(() -> greet(greeting))
                .as("seed=%d", seed)
                .hasMessageContaining("does not use the RBMQ protocol");
        // The bytes after the features are the length of the name, the name, the length of the token, and the token.
        System.arraycopy(GreetingLayout.write("", ""), 0, greeting, 0, 13);
        greeting[13] = 100;
        greeting[114] = (byte) 255;
        assertThatThrownBy(() -> greet(greeting)).as("seed=%d", seed).hasMessageContaining("the token is not valid");
        assertThat(running.broker().state().refusedCount()).isEqualTo(2);
        assertThat(running.publisher(as("feed")).isConnected()).isTrue();
    }

    private void greet(byte[] greeting) throws Exception {
        new RawClient(running.clients(), running.address(), Role.PUBLISHER, greeting).welcome();
    }

    @Test
    void shouldRefuseATokenOf64KiB() throws Exception {
        String token = "hunter2".repeat(64 * 1024 / 7);
        assertThatThrownBy(() -> running.client().withToken(token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hunter2");
        try (LoggedLines logged = new LoggedLines();
                RawSocket socket = RawSocket.greeting(running.address(), token.getBytes(UTF_8))) {
            socket.awaitEnd();
            await().until(() -> !logged.with("control message is too long").isEmpty());
            assertThat(logged.with("hunter2")).isEmpty();
        }
        byte[] longest = Arrays.copyOf(GreetingLayout.write("", "x".repeat(255)), 4096);
        assertThatThrownBy(() -> greet(longest)).hasMessageContaining("the token is not valid");
        assertThat(running.publisher(as("feed")).isConnected()).isTrue();
    }

    @Test
    void shouldWarnWhenItStartsWithATokenThatOthersCanRead(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("users.conf"), "rbmq.credentials = [hunter2]");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        try (LoggedLines logged = new LoggedLines();
                RunningBroker other = new RunningBroker("include file(\"" + file + "\")")) {
            assertThat(logged.with("WARN All users of this machine can read " + file))
                    .hasSize(1);
            assertThat(logged.with("hunter2")).isEmpty();
            assertThat(other.publisher(other.client().withToken("hunter2")).isConnected())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"{publish = [a]}, 1", "'{publish = [\"#\"], subscribe = [\"#\"]}', 0"})
    void shouldWarnThatRightsDoNotHoldOverRdma(String rights, int warningCount) {
        String users = "rbmq.users = [{name = u, token = x} " + rights + "]";
        try (LoggedLines logged = new LoggedLines();
                RunningBroker tcp = new RunningBroker(users)) {
            assertThat(tcp.broker().isReady()).isTrue();
            assertThat(logged.with("are not enforced over RDMA")).isEmpty();
            List<String> settings = new ArrayList<>(TransportPair.TCP_RDMA.settings());
            settings.add(users);
            running.opened(new RunningBroker(settings.toArray(String[]::new)));
            assertThat(logged.with("WARN The rights of clients are not enforced over RDMA"))
                    .hasSize(warningCount);
        }
    }

    @Test
    void shouldNameTheUserInTheLog() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            running.publisher(as("feed").withName("desk")).topic("trades");
            await().until(() -> logged.with("was refused buffer").size() == 1);
            assertThat(logged.with("Publisher 1 \"desk\" of user \"feed\" at 127.0.0.1:"))
                    .hasSize(2)
                    .noneMatch(line -> line.contains("feed-token"));
            subscriber("desk");
            assertThat(logged.with(" of user \"desk\" at ")).hasSize(1);
        }
    }
}
