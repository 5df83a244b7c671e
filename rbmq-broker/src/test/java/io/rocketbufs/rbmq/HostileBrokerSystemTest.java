package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.WhenUnheard;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InterestLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import io.rocketbufs.rbmq.protocol.TopicBuffersLayout;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of clients of a broker that does not introduce itself as the protocol requires. */
@Tag("once")
@Timeout(600)
final class HostileBrokerSystemTest {
    private static final Welcome WELCOME = new Welcome(1, 0, 0x1234_5678_9abc_def0L, 1 << 20, (1 << 20) - 4);
    private static final ByteBuffer LISTED = ByteBuffer.wrap(new byte[] {10, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});

    private final Config config = RunningBroker.config();
    private final RocketBufs rocketBufs = RocketBufs.open(config);

    @AfterEach
    void close() {
        rocketBufs.close();
    }

    @Test
    void shouldFailToConnectWhenTheBrokerSendsNoWelcome() {
        InetSocketAddress address = brokerThatSends().broker();
        ClientSettings settings = ClientSettings.from(RunningBroker.config("rbmq.client.connect-timeout = 300 ms"))
                .withBroker(address);
        // On a busy machine, connecting may take longer than the timeout, so the test retries.
        await().untilAsserted(() -> assertThatThrownBy(() -> Publisher.connect(rocketBufs, settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("did not send WELCOME, the first message of an RBMQ broker, within 300 ms"));
        await().untilAsserted(() -> assertThatThrownBy(() -> Subscriber.connect(rocketBufs, settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("did not send WELCOME"));
    }

    @Test
    void shouldNameTheBrokerThatClosesTheConnectionBeforeWelcome() {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            accept(connection);
            connection.close();
        });
        ClientSettings settings = ClientSettings.from(config).withBroker(listener.address());
        assertThatThrownBy(() -> Publisher.connect(rocketBufs, settings))
                .isInstanceOf(TransportException.class)
                .hasMessage("the broker at 127.0.0.1:" + listener.address().getPort()
                        + " closed the connection before it sent WELCOME");
    }

    @Test
    void shouldFailToConnectWhenAnotherMessagePrecedesWelcome() {
        ClientSettings settings = brokerThatSends(LISTED, WelcomeLayout.write(WELCOME));
        assertThatThrownBy(() -> Subscriber.connect(rocketBufs, settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("RBMQ protocol violation: the broker sent TOPIC_LISTED before WELCOME");
    }

    @Test
    void shouldFailToConnectWhenWelcomeIsTooShort() {
        ByteBuffer cut = WelcomeLayout.write(WELCOME);
        cut.limit(cut.limit() - 1);
        ClientSettings settings = brokerThatSends(cut);
        assertThatThrownBy(() -> Publisher.connect(rocketBufs, settings))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("WELCOME has a body of only 35 bytes");
    }

    @Test
    void shouldDisconnectFromABrokerThatSendsWelcomeTwice() {
        // Connecting succeeds if the second WELCOME arrives only after the first has been handled.
        ClientSettings settings = brokerThatSends(WelcomeLayout.write(WELCOME), WelcomeLayout.write(WELCOME));
        assertThatThrownBy(() -> {
                    try (Publisher publisher = Publisher.connect(rocketBufs, settings)) {
                        publisher.closed().get(60, TimeUnit.SECONDS);
                    }
                })
                .hasStackTraceContaining("RBMQ protocol violation: the broker sent a second WELCOME");
    }

    @Test
    void shouldDisconnectFromABrokerThatReportsTheSubscribersOfAnUnknownBuffer() {
        // Connecting succeeds if the report arrives only after WELCOME has been handled.
        ClientSettings settings = brokerThatSends(WelcomeLayout.write(WELCOME), InterestLayout.write(7, 1));
        assertThatThrownBy(() -> {
                    try (Publisher publisher = Publisher.connect(rocketBufs, settings)) {
                        publisher.closed().get(60, TimeUnit.SECONDS);
                    }
                })
                .hasStackTraceContaining("RBMQ protocol violation: the broker sent INTEREST for unknown buffer 7");
    }

    @Test
    void shouldDisconnectFromABrokerThatReportsSlowSubscribersOfAnUnknownBuffer() {
        ClientSettings settings = brokerThatSends(WelcomeLayout.write(WELCOME), SlowLayout.write(7, 1, 1, 1));
        assertThatThrownBy(() -> {
                    try (Publisher publisher = Publisher.connect(rocketBufs, settings)) {
                        publisher.closed().get(60, TimeUnit.SECONDS);
                    }
                })
                .hasStackTraceContaining("RBMQ protocol violation: the broker sent SLOW for unknown buffer 7");
    }

    @Test
    void shouldIgnoreAReportThatTheSubscriberIsSlowWithABufferThatItDoesNotHave() {
        // The report and the end of the buffer may cross. The error for the second report shows that the first was
        // ignored.
        ClientSettings settings = brokerThatSends(
                WelcomeLayout.write(WELCOME), SlowLayout.write(7, 1, 1, 1), SlowLayout.write(7, -1, 1, 1));
        assertThatThrownBy(() -> {
                    try (Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
                        subscriber.closed().get(60, TimeUnit.SECONDS);
                    }
                })
                .hasStackTraceContaining("RBMQ protocol violation: SLOW has a negative subscriberCount=-1");
    }

    @Test
    void shouldSendMessagesWhileTheBrokerHasNotReportedAnySubscribers() {
        ClientSettings settings = brokerThatSends(WelcomeLayout.write(WELCOME)).withWhenUnheard(WhenUnheard.DROP);
        try (Publisher publisher = Publisher.connect(rocketBufs, settings.withDrainTimeout(0))) {
            TopicPublisher topic = publisher.topic("t");
            assertThat(topic.hasSubscribers()).isTrue();
            assertThat(topic.publish(new byte[1])).isEqualTo(PublishResult.PUBLISHED);
            assertThat(topic.unheardCount()).isZero();
        }
    }

    @Test
    void shouldConnectToANewerBrokerWhoseWelcomeIsLongerAndHasUnknownFeatures() {
        Welcome newer = new Welcome(2, -1L, 7, 1000, 996);
        ByteBuffer known = WelcomeLayout.write(newer);
        ByteBuffer longer =
                ByteBuffer.allocate(known.remaining() + 100).put(known).clear();
        ClientSettings settings = brokerThatSends(longer);
        try (Publisher publisher = Publisher.connect(rocketBufs, settings);
                Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            assertThat(publisher.broker()).isEqualTo(newer);
            assertThat(subscriber.broker()).isEqualTo(newer);
        }
    }

    @Test
    void shouldReportTheReasonWhenTheBrokerRefusesASubscription() {
        ByteBuffer refused = NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, 1, "not today");
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            accept(connection, WelcomeLayout.write(WELCOME));
            connection.setControlMessageCallback(request -> connection.sendControlMessage(refused));
        });
        ClientSettings settings = ClientSettings.from(config).withBroker(listener.address());
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            assertThatThrownBy(() ->
                            subscriber.subscribe("t", message -> {}).ready().get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(TransportException.class)
                    .hasMessage("the broker refused the subscription to \"t\": not today");
        }
    }

    @Test
    void shouldFailToSubscribeToAFilterWhenTheBrokerDoesNotSupportFilters() throws Exception {
        ClientSettings settings = brokerThatSends(WelcomeLayout.write(WELCOME));
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            Subscription subscription = subscriber.subscribe("a/#", message -> {});
            assertThatThrownBy(() -> subscription.ready().get(60, TimeUnit.SECONDS))
                    .cause()
                    .hasMessage("the broker refused the subscription to \"a/#\": it does not support filters; upgrade"
                            + " the broker, or subscribe to each topic");
            assertThat(subscription.closed()).isCompleted();
        }
    }

    @Test
    void shouldFailToSubscribeToATopicTwiceWhenTheBrokerDoesNotSupportFilters() throws Exception {
        ClientSettings settings = brokerThatSends(WelcomeLayout.write(WELCOME));
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            Subscription first = subscriber.subscribe("t", message -> {});
            Subscription second = subscriber.subscribe("t", message -> {});
            assertThatThrownBy(() -> second.ready().get(60, TimeUnit.SECONDS))
                    .cause()
                    .hasMessage(
                            "the broker refused the subscription to \"t\": it does not support several subscriptions"
                                    + " to a topic; upgrade the broker, or use another Subscriber");
            assertThat(second.closed()).isCompleted();
            assertThat(subscriber.subscribe("u", message -> {}).ready()).isNotDone();
            first.close();
            assertThat(subscriber.subscribe("t", message -> {}).ready()).isNotDone();
        }
    }

    @Test
    void shouldHoldNoLockWhileTheCloseCompletesTheFuturesOfSubscriptions() {
        CompletableFuture<Long> counted = new CompletableFuture<Long>().orTimeout(60, TimeUnit.SECONDS);
        Subscriber subscriber = Subscriber.connect(rocketBufs, brokerThatSends(WelcomeLayout.write(WELCOME)));
        subscriber.subscribe("t", message -> {}).ready().whenComplete((ok, failure) -> {
            new Thread(() -> counted.complete(subscriber.receivedCount())).start();
            counted.join();
        });
        subscriber.close();
        assertThat(counted).isCompletedWithValue(0L);
    }

    @Test
    void shouldDisconnectWhenTheRequestToEndASubscriptionDoesNotFitIntoTheQueue() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Config patient = RunningBroker.config("rocketbufs { heartbeat-interval = 1 m, heartbeat-timeout = 10 m }");
        try (RocketBufs brokers = RocketBufs.open(patient);
                RocketBufs clients = RocketBufs.open(patient)) {
            Listener listener = new Listener(brokers, new InetSocketAddress("127.0.0.1", 0));
            listener.setConnectionCallback(connection -> {
                accept(brokers, connection, WelcomeLayout.write(new Welcome(2, Features.FILTERS, 1, 1000, 996)));
                connection.setControlMessageCallback(request -> {
                    if (RbmqMessage.type(request) == RbmqType.TOPIC_SUBSCRIBE
                            && TopicLayout.subscription(request) == 1) {
                        connection.sendControlMessage(LISTED.duplicate());
                    } else {
                        waitFor(release); // the broker stops reading
                    }
                });
            });
            Subscriber subscriber =
                    Subscriber.connect(clients, ClientSettings.from(patient).withBroker(listener.address()));
            Subscription live = subscriber.subscribe("t", message -> {});
            live.ready().get(60, TimeUnit.SECONDS);
            fillQueue(subscriber, number -> "x".repeat(240) + number);
            // By then, all requests that the operating system accepts have been sent.
            assertThat(clients.unresponsiveWorkers(60_000)).isEmpty();
            fillQueue(subscriber, number -> "y".repeat(240) + number);
            fillQueue(subscriber, number -> "x");
            live.close();
            assertThatThrownBy(() -> subscriber.closed().get(60, TimeUnit.SECONDS))
                    .hasStackTraceContaining("cannot end the subscription to \"t\": more than 4194304 bytes of control"
                            + " messages are waiting");
            assertThat(live.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        } finally {
            release.countDown();
        }
    }

    /**
     * Subscribes until there is no space for another request. The requests accumulate because the broker does not read.
     * Different topics save time, because a subscription is compared with all others to the same topic.
     */
    private static void fillQueue(Subscriber subscriber, IntFunction<String> topics) {
        int number = 0;
        while (!subscriber
                .subscribe(topics.apply(number), message -> {})
                .closed()
                .isDone()) {
            number++;
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldFailRequestsWhenTheBrokerDoesNotSupportThem() {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> accept(connection, WelcomeLayout.write(WELCOME)));
        ClientOptions options = ClientOptions.from(config).withBrokers(HostPort.of(listener.address()));
        try (RbmqClient client = RbmqClient.connect(options.withDrainTimeout(Duration.ZERO))) {
            assertThatThrownBy(() -> client.request("t", new byte[0], Duration.ofHours(1))
                            .get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(RequestException.class)
                    .hasMessage("request to topic \"t\": the broker does not support requests, and gave this client no"
                            + " inbox; upgrade it");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"b/c", "", "a/#", "a\n"})
    void shouldDisconnectFromABrokerThatAddsATopicThatDoesNotMatchTheFilter(String topic) throws Exception {
        byte[] name = topic.getBytes(UTF_8);
        ByteBuffer added = ByteBuffer.allocate(7 + name.length)
                .put(new byte[] {14, 1, 0, 0, 0, 1, (byte) name.length})
                .put(name)
                .flip();
        assertViolationAfterSubscribing("a/#", added);
    }

    @Test
    void shouldDisconnectFromABrokerThatBreaksTheRulesForFilters() throws Exception {
        List<BuffersLayout.Entry> buffer = List.of(new BuffersLayout.Entry(17, 1, 1000));
        assertViolationAfterSubscribing("a/#", BuffersLayout.write(1, buffer));
        assertViolationAfterSubscribing("a", TopicBuffersLayout.write(1, "a", buffer));
        assertViolationAfterSubscribing("a/#", TopicBuffersLayout.write(2, "a", buffer));
        assertViolationAfterSubscribing("a/#", ByteBuffer.wrap(new byte[] {14, 1, 0, 0, 0, 1, 9, 'a'}));
        assertViolationAfterSubscribing(
                "a/#", TopicBuffersLayout.write(1, "a", buffer), TopicBuffersLayout.write(1, "a", buffer));
        assertViolationAfterSubscribing(
                "a/#", TopicBuffersLayout.write(1, "a", buffer), TopicBuffersLayout.write(1, "a/b", buffer));
        assertViolationAfterSubscribing("a", TopicBuffersLayout.writeKept(1, "b", buffer.get(0)));
        assertViolationAfterSubscribing("a", TopicBuffersLayout.writeKept(2, "a", buffer.get(0)));
        assertViolationAfterSubscribing("a", ByteBuffer.wrap(new byte[] {20, 1, 0, 0, 0, 1, 9, 'a'}));
        assertViolationAfterSubscribing("a", NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBED, 1, ""));
        assertViolationAfterSubscribing("a", LISTED, LISTED);
    }

    @Test
    void shouldGiveUpTheBuffersOfASubscriptionThatTheBrokerRefusesAfterAddingThem() throws Exception {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        ROut out = new ROut(rocketBufs);
        out.createBuffer(17, 1000);
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            out.addConnection(connection);
            connection.sendControlMessage(WelcomeLayout.write(WELCOME));
            connection.setControlMessageCallback(request -> {
                connection.sendControlMessage(BuffersLayout.write(1, List.of(new BuffersLayout.Entry(17, 1, 1000))));
                connection.sendControlMessage(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, 1, "no"));
            });
        });
        ClientSettings settings = ClientSettings.from(config).withBroker(listener.address());
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            Subscription subscription = subscriber.subscribe("t", message -> {});
            assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
            assertThat(rocketBufs.metrics().connections())
                    .allSatisfy(connection -> assertThat(connection.inputs()).isEmpty());
        }
    }

    /** Subscribes at a broker that responds with the given messages, and expects the client to close the connection. */
    private void assertViolationAfterSubscribing(String filter, ByteBuffer... answers) throws Exception {
        Welcome welcome = new Welcome(2, Features.FILTERS, 1, 1000, 996);
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            accept(connection, WelcomeLayout.write(welcome));
            connection.setControlMessageCallback(request -> {
                for (ByteBuffer answer : answers) {
                    connection.sendControlMessage(answer.duplicate());
                }
            });
        });
        ClientSettings settings = ClientSettings.from(config).withBroker(listener.address());
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, settings)) {
            Subscription subscription = subscriber.subscribe(filter, message -> {});
            assertThatThrownBy(() -> subscriber.closed().get(60, TimeUnit.SECONDS))
                    .hasStackTraceContaining("RBMQ protocol violation");
            assertThat(subscription.closed()).isCompleted();
            assertThat(subscription.ready()).isDone();
        }
    }

    @Test
    void shouldTellEachClientTheIdAndLimitsOfTheBroker() throws Exception {
        try (RunningBroker running = new RunningBroker("rbmq.broker.max-capacity = 2 MiB");
                RunningBroker another = new RunningBroker()) {
            Welcome told = running.publisher().broker();
            assertThat(told.version()).isEqualTo(GreetingLayout.VERSION);
            assertThat(told.maxCapacity()).isEqualTo(2 << 20);
            assertThat(told.longestMessage()).isEqualTo((2 << 20) - 4);
            Welcome subscribers = running.subscriber().broker();
            assertThat(subscribers).isEqualTo(told.withInbox(subscribers.inbox()));
            assertThat(new RawClient(running, Role.PUBLISHER).welcome()).isEqualTo(told);
            assertThat(another.publisher().broker().brokerId()).isNotEqualTo(told.brokerId());
        }
    }

    @Test
    void shouldAcceptANewerClientWhoseGreetingIsLongerAndHasUnknownFeatures() throws Exception {
        byte[] known = GreetingLayout.write("newer", "");
        byte[] longer = ByteBuffer.allocate(known.length + 9)
                .put(known)
                .put("more text".getBytes(UTF_8))
                .array();
        Arrays.fill(longer, 5, 13, (byte) 0xff);
        try (RunningBroker running = new RunningBroker()) {
            RawClient newer = new RawClient(running.clients(), running.address(), Role.PUBLISHER, longer);
            newer.welcome();
            await().until(() -> running.broker().state().publisherCount() == 1);
        }
    }

    /**
     * Starts a listener that accepts every client and sends it these messages. Returns settings for connecting to it.
     */
    private ClientSettings brokerThatSends(ByteBuffer... messages) {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> accept(connection, messages));
        return ClientSettings.from(config).withBroker(listener.address());
    }

    private void accept(Connection connection, ByteBuffer... messages) {
        accept(rocketBufs, connection, messages);
    }

    private static void accept(RocketBufs brokers, Connection connection, ByteBuffer... messages) {
        connection.setCloseCallback(failure -> {});
        if (connection.role() == Role.PUBLISHER) {
            new RIn(connection);
        } else {
            new ROut(brokers).addConnection(connection);
        }
        for (ByteBuffer message : messages) {
            connection.sendControlMessage(message.duplicate());
        }
    }
}
