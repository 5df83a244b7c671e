package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.BrokerState;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.WhenUnheard;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of a client that publishes and subscribes, and of its addresses. */
@Timeout(600)
final class RbmqClientSystemTest {
    private final RunningBroker running = new RunningBroker("rocketbufs.tcp.num-threads = 1");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldPublishAndSubscribeWithTextsBytesAndBuffers() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        try (RbmqClient client = RbmqClient.connect(HostPort.of(running.address()))) {
            Subscription prices =
                    client.subscribe("prices", message -> received.add(message.topic() + " " + message.text()));
            prices.ready().get(60, TimeUnit.SECONDS);
            assertThat(List.of(
                            client.publish("prices", "12.50 €"),
                            client.publish("prices", "2".getBytes(UTF_8)),
                            client.publish("prices", ByteBuffer.wrap("3".getBytes(UTF_8))),
                            client.tryPublish("prices", "4"),
                            client.tryPublish("prices", "5".getBytes(UTF_8)),
                            client.tryPublish("prices", ByteBuffer.wrap("6".getBytes(UTF_8))),
                            client.topic("prices").publish(new byte[] {(byte) 0xff})))
                    .containsOnly(PublishResult.PUBLISHED);
            client.flush().get(60, TimeUnit.SECONDS);
            assertThat(client.flush(60_000)).isTrue();
            await().until(() -> client.receivedCount() == 7);
            assertThat(received)
                    .containsExactly(
                            "prices 12.50 €",
                            "prices 2",
                            "prices 3",
                            "prices 4",
                            "prices 5",
                            "prices 6",
                            "prices \ufffd");
            assertThat(client.publishedCount()).isEqualTo(7);
            assertThat(client.publishedLength()).isEqualTo(9 + 6);
            assertThat(client.receivedLength()).isEqualTo(9 + 6);
            assertThat(client.unconfirmedCount()).isZero();
            assertThat(client.unconfirmedLength()).isZero();
            prices.close();
            prices.closed().get(60, TimeUnit.SECONDS);
            assertThat(prices.receivedCount()).isEqualTo(7);
        }
    }

    @Test
    void shouldSubscribeToFiltersWithSeveralHandlersAndPauseOne() throws Exception {
        Messages all = new Messages();
        Messages doors = new Messages();
        try (RbmqClient client = client()) {
            SubscriptionOptions options = SubscriptionOptions.DEFAULTS.withSlowPolicy(SlowPolicy.BLOCK);
            Subscription everything = client.subscribe("#", all, options);
            Subscription filtered = client.subscribe("room/+/door", doors, SlowPolicy.BLOCK);
            CompletableFuture.allOf(everything.ready(), filtered.ready()).get(60, TimeUnit.SECONDS);
            client.publish("room/1/door", "open");
            client.publish("hall", "dark");
            await().until(() -> all.count() == 2);
            assertThat(doors.texts()).containsExactly("open");
            filtered.pause();
            client.publish("room/2/door", "closed");
            client.publish("hall", "bright");
            await().until(() -> all.count() == 3);
            assertThat(all.texts()).last().isEqualTo("bright");
            assertThat(doors.count()).isEqualTo(1);
            filtered.resume();
            await().until(() -> all.count() == 4 && doors.count() == 2);
            await().until(() -> client.receivedCount() == 6);
            assertThatThrownBy(() -> client.subscribe("room/#", all, SlowPolicy.SKIP))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("use the same policy");
            assertThatThrownBy(() -> client.subscribe("room+", all)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldOpenOnlyTheConnectionThatIsNeeded() throws Exception {
        try (RbmqClient idle = client();
                RbmqClient publishing = client();
                RbmqClient subscribing = client()) {
            assertThat(idle.flush(0)).isTrue();
            assertThat(idle.flush()).isCompleted();
            assertThat(idle.publishedCount() + idle.receivedCount() + idle.lostLength())
                    .isZero();
            publishing.publish("t", "1");
            assertConnections(1, 0);
            subscribing.subscribe("t", message -> {}).ready().get(60, TimeUnit.SECONDS);
            assertConnections(1, 1);
        }
        await().untilAsserted(() -> assertConnections(0, 0));
    }

    private void assertConnections(int publishers, int subscribers) {
        BrokerState state = running.broker().state();
        assertThat(state.publisherCount()).isEqualTo(publishers);
        assertThat(state.subscriberCount()).isEqualTo(subscribers);
    }

    @Test
    void shouldOpenOneConnectionEachWayWhenManyThreadsBeginAtOnce() throws Exception {
        Messages messages = new Messages();
        try (RbmqClient client = client()) {
            CyclicBarrier start = new CyclicBarrier(8);
            List<CompletableFuture<Void>> threads = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                awaitOthers(start);
                                client.subscribe("t" + i, messages).ready().join();
                                client.publish("t" + i, "from " + i);
                            },
                            // On a machine with two processors, the common pool has only one thread.
                            task -> new Thread(task).start()))
                    .toList();
            for (CompletableFuture<Void> thread : threads) {
                thread.get(60, TimeUnit.SECONDS);
            }
            await().until(() -> messages.count() == 8);
            assertConnections(1, 1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rbmq.TransportPair#all")
    void shouldUseTheTransportOfEachConnection(TransportPair pair) throws Exception {
        try (RunningBroker mixed = new RunningBroker(pair)) {
            List<InetSocketAddress> addresses = mixed.broker().addresses();
            // The addresses differ, so they are taken from the configuration, which lists both.
            String listeners = pair.isMixed()
                    ? pair.listeners(port(addresses.get(0)), port(addresses.get(1)))
                    : "rbmq.port = " + port(addresses.get(0));
            String[] settings = Stream.concat(pair.settings().stream(), Stream.of(listeners))
                    .toArray(String[]::new);
            Messages messages = new Messages();
            try (RbmqClient client = RbmqClient.connect(ClientOptions.from(RunningBroker.config(settings)))) {
                client.subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
                client.publish("t", pair.name());
                await().until(() -> messages.count() == 1);
            }
            assertThat(messages.texts()).containsExactly(pair.name());
        }
    }

    private static String port(InetSocketAddress address) {
        return Integer.toString(address.getPort());
    }

    // Tests of addresses.

    @Test
    void shouldTryTheNextAddressAfterAFailure() throws Exception {
        try (ServerSocket closes = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<Void> stranger = CompletableFuture.runAsync(() -> closeNext(closes));
            String brokers = "127.0.0.1:1, 127.0.0.1:" + closes.getLocalPort() + "," + HostPort.of(running.address());
            try (RbmqClient client = RbmqClient.connect(brokers)) {
                client.publish("t", "1");
                assertThat(client.publisher().broker().brokerId())
                        .isEqualTo(running.publisher().broker().brokerId());
            }
            stranger.get(60, TimeUnit.SECONDS);
        }
    }

    /** Accepts a connection and closes it when the greeting has arrived. */
    private static void closeNext(ServerSocket server) {
        try (var socket = server.accept()) {
            socket.getInputStream().readNBytes(8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldNameEveryAddressWhenNoneAcceptsTheConnection() {
        try (RbmqClient client = RbmqClient.connect("127.0.0.1:1,nowhere.invalid:2")) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> client.publish("t", "1"))
                        .isInstanceOf(TransportException.class)
                        .hasMessageStartingWith("none of 2 addresses accepted the connection: connect to 127.0.0.1:1:"
                                + " connection refused, no listener on this address; ")
                        .hasMessageContaining("nowhere.invalid:2");
            }
            assertThat(client.closed()).isNotDone();
        }
    }

    @Test
    void shouldNotTryTheNextAddressAfterARefusal() {
        try (RunningBroker guarded = new RunningBroker("rbmq.credentials = [s3cret]")) {
            String brokers = HostPort.of(guarded.address()) + "," + HostPort.of(running.address());
            ClientOptions options = options().withBrokers(brokers).withToken("guessed");
            try (RbmqClient client = RbmqClient.connect(options)) {
                assertThatThrownBy(() -> client.subscribe("t", message -> {}))
                        .isInstanceOf(TransportException.class)
                        .hasMessageEndingWith("refused: the token is not valid");
                assertConnections(0, 0);
            }
            try (RbmqClient client = RbmqClient.connect(options.withToken("s3cret"))) {
                assertThat(client.publish("t", "1")).isEqualTo(PublishResult.PUBLISHED);
            }
        }
    }

    @Test
    void shouldConnectBothWaysToOneBroker() throws Exception {
        try (Passage first = new Passage(running.address());
                RunningBroker second = new RunningBroker()) {
            String brokers = HostPort.of(first.address()) + "," + HostPort.of(second.address());
            try (RbmqClient client = RbmqClient.connect(options().withBrokers(brokers))) {
                client.publish("t", "1");
                first.stopAccepting();
                assertThatThrownBy(() -> client.subscribe("t", message -> {}))
                        .isInstanceOf(TransportException.class)
                        .hasMessageContaining("the broker at " + HostPort.of(second.address())
                                + " is not the one with which this client already publishes");
                await().until(() -> second.broker().state().subscriberCount() == 0);
                assertThat(client.publish("t", "2")).isEqualTo(PublishResult.PUBLISHED);
            }
        }
    }

    // Tests of handlers.

    @Test
    void shouldPublishInAHandlerOnceThePublishingConnectionIsOpen() throws Exception {
        Messages replies = new Messages();
        try (RbmqClient client = client()) {
            client.publisher();
            client.subscribe("requests", message -> client.tryPublish("replies", message.text() + "!"))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            client.subscribe("replies", replies).ready().get(60, TimeUnit.SECONDS);
            client.publish("requests", "hello");
            await().until(() -> replies.count() == 1);
            assertThat(replies.texts()).containsExactly("hello!");
        }
    }

    @Test
    void shouldRefuseToConnectInAHandlerAndNameTheRemedy() throws Exception {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        try (RbmqClient client = client()) {
            client.subscribe("t", message -> refused.complete(catchThrowable(() -> client.tryPublish("u", "1"))))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            running.publisher().publish("t", new byte[1]);
            assertThat(refused.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call publisher() before subscribing");
            assertThat(client.publish("u", "1")).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    @Test
    void shouldRefuseToConnectOnAWorker() throws Exception {
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        running.subscriber()
                .subscribe("t", message -> {
                    refused.add(catchThrowable(() -> Subscriber.connect(running.clients(), running.client())));
                    refused.add(catchThrowable(() -> Publisher.connect(running.clients(), running.client())));
                    refused.add(catchThrowable(
                            () -> Publisher.connect(running.clients(), running.client(), new PublisherCallback() {})));
                })
                .ready()
                .get(60, TimeUnit.SECONDS);
        running.publisher().publish("t", new byte[1]);
        await().until(() -> refused.size() == 3);
        assertThat(refused)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("a worker must not wait for a connection"));
    }

    @Test
    void shouldFlushAndEndWhenItIsClosedInAHandler() throws Exception {
        Messages elsewhere = new Messages();
        running.subscriber().subscribe("replies", elsewhere).ready().get(60, TimeUnit.SECONDS);
        RbmqClient client = client();
        client.publisher();
        client.subscribe("t", message -> {
                    client.tryPublish("replies", "bye");
                    client.close();
                })
                .ready()
                .get(60, TimeUnit.SECONDS);
        client.publish("t", "last");
        client.closed().get(60, TimeUnit.SECONDS);
        await().until(() -> elsewhere.count() == 1);
        assertThat(client.unconfirmedCount()).isZero();
        assertThat(client.rocketBufs().memoryInUse()).isZero();
    }

    @Test
    void shouldReportGapsAndErrorsToTheCallback() throws Exception {
        CompletableFuture<Throwable> reported = new CompletableFuture<>();
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onError(String topic, int publisher, Throwable error) {
                reported.complete(error);
            }
        };
        try (RbmqClient client = RbmqClient.connect(options().withCallback(callback))) {
            client.subscribe("t", message -> {
                        throw new IllegalStateException("no such currency");
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            client.publish("t", "1");
            assertThat(reported.get(60, TimeUnit.SECONDS)).hasMessage("no such currency");
            await().until(() -> client.failedCount() == 1);
            assertThat(client.malformedCount()).isZero();
        }
    }

    @Test
    void shouldReportInterestAndBackPressureToTheCallbackOfThePublisher() throws Exception {
        List<String> events = new CopyOnWriteArrayList<>();
        PublisherCallback callback = new PublisherCallback() {
            @Override
            public void onInterest(String topic, boolean hasSubscribers) {
                events.add(topic + (hasSubscribers ? ": heard" : ": unheard"));
            }

            @Override
            public void onBackPressure(String topic, boolean on) {
                events.add(topic + (on ? ": no space" : ": space again"));
            }
        };
        ClientOptions options = options()
                .withPublisherCallback(callback)
                .withCallback(new SubscriberCallback() {})
                .withWhenUnheard(WhenUnheard.DROP)
                .withCapacities(1000, 1000);
        try (RbmqClient client = RbmqClient.connect(options)) {
            TopicPublisher topic = client.topic("a/b");
            topic.announced().get(60, TimeUnit.SECONDS);
            assertThat(client.publish("a/b", "1")).isEqualTo(PublishResult.UNHEARD);
            assertThat(client.unheardCount()).isEqualTo(1);
            Messages messages = new Messages();
            client.subscribe("a/#", messages).ready().get(60, TimeUnit.SECONDS);
            await().until(topic::hasSubscribers);
            Claim claim = topic.claim(950);
            assertThat(client.tryPublish("a/b", new byte[100])).isEqualTo(PublishResult.NO_SPACE);
            await().until(() -> events.contains("a/b: no space"));
            claim.abort();
            await().until(() -> events.contains("a/b: space again"));
            assertThat(client.publish("a/b", "2")).isEqualTo(PublishResult.PUBLISHED);
            await().until(() -> messages.count() == 1);
            assertThat(events).containsExactly("a/b: unheard", "a/b: heard", "a/b: no space", "a/b: space again");
            assertThat(client.unheardCount()).isEqualTo(1);
        }
    }

    @Test
    void shouldTellThePublisherCallbackAboutSubscribersAndCountWhatIsDropped() throws Exception {
        CompletableFuture<String> reported = new CompletableFuture<>();
        PublisherCallback callback = new PublisherCallback() {
            @Override
            public void onInterest(String topic, boolean hasSubscribers) {
                reported.complete(topic + " " + hasSubscribers);
            }
        };
        ClientOptions dropping = options().withPublisherCallback(callback).withWhenUnheard(WhenUnheard.DROP);
        try (RbmqClient client = RbmqClient.connect(dropping)) {
            client.topic("t").announced().get(60, TimeUnit.SECONDS);
            assertThat(reported.get(60, TimeUnit.SECONDS)).isEqualTo("t false");
            assertThat(client.publish("t", "1")).isEqualTo(PublishResult.UNHEARD);
            assertThat(client.unheardCount()).isEqualTo(1);
        }
    }

    @Test
    void shouldPublishFromSeveralThreadsToATopicThatOneOfThemAnnounces() throws Exception {
        int threads = 4;
        int topics = 200;
        try (RbmqClient client = client()) {
            client.publisher();
            CyclicBarrier together = new CyclicBarrier(threads);
            List<CompletableFuture<Void>> publishing = IntStream.range(0, threads)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                for (int j = 0; j < topics; j++) {
                                    awaitOthers(together);
                                    assertThat(client.publish("t" + j, "1")).isEqualTo(PublishResult.PUBLISHED);
                                }
                            },
                            task -> new Thread(task).start()))
                    .toList();
            for (CompletableFuture<Void> each : publishing) {
                each.get(60, TimeUnit.SECONDS);
            }
            assertThat(client.publishedCount()).isEqualTo((long) threads * topics);
        }
    }

    private static void awaitOthers(CyclicBarrier together) {
        try {
            together.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    // Tests of the end of a client.

    @Test
    void shouldReleaseEverythingItOpened() throws Exception {
        RbmqClient client = client();
        client.subscribe("t", message -> {}).ready().get(60, TimeUnit.SECONDS);
        client.publish("t", "1");
        RocketBufs rocketBufs = client.rocketBufs();
        client.close();
        client.close();
        assertThat(client.closed()).isCompleted();
        assertThat(rocketBufs.memoryInUse()).isZero();
        assertThatThrownBy(() -> rocketBufs.localAddress("tcp")).isInstanceOf(IllegalStateException.class);
        assertThat(client.publish("t", "2")).isEqualTo(PublishResult.CLOSED);
        assertThatThrownBy(() -> client.subscribe("u", message -> {})).isInstanceOf(IllegalStateException.class);
        assertThat(client.publishedCount()).isEqualTo(1);
    }

    @Test
    void shouldRefuseToConnectAfterClosing() {
        RbmqClient client = client();
        client.close();
        assertThat(client.closed()).isCompleted();
        assertThatThrownBy(() -> client.publish("t", "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this client is closed");
        assertThatThrownBy(() -> client.subscribe("t", message -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this client is closed");
    }

    @Test
    void shouldNotCloseAGivenRocketBufs() throws Exception {
        try (RbmqClient client = RbmqClient.connect(options().withRocketBufs(running.clients()))) {
            client.publish("t", "1");
            assertThat(client.rocketBufs()).isSameAs(running.clients());
        }
        assertThat(running.publisher().isConnected()).isTrue();
    }

    @Test
    void shouldReportThatTheBrokerIsLost() throws Exception {
        try (RbmqClient client = client()) {
            client.subscribe("t", message -> {}).ready().get(60, TimeUnit.SECONDS);
            client.publish("t", "1");
            running.loseBroker();
            assertThatThrownBy(() -> client.closed().get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(TransportException.class);
            await().until(() -> client.tryPublish("t", "2") == PublishResult.NOT_CONNECTED);
        }
    }

    private ClientOptions options() {
        ClientSettings known = running.client();
        return ClientOptions.from(RunningBroker.config("rocketbufs.tcp.num-threads = 1"))
                .withBrokers(known.brokers().get(0).toString())
                .withConnectTimeout(Duration.ofSeconds(60));
    }

    private RbmqClient client() {
        return RbmqClient.connect(options());
    }
}
