package io.rocketbufs.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHeaders;
import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.ReceivedMessage;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.client.TopicOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The code samples of docs/client-guide.md. {@link QuotedSamplesTest} checks that the document quotes them unchanged.
 */
@Tag("once")
@Timeout(600)
final class ClientGuideTest {
    private static final byte[] MESSAGE = "12.50 EUR".getBytes(UTF_8);

    private final RbmqBroker broker = RbmqBroker.start(); // on a free port of the loopback address
    private final String address = broker.address();
    private final ClientSettings client =
            ClientOptions.defaults().withBrokers(address).publisher();

    private final RocketBufs rocketBufs = RocketBufs.open();
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private long sentCount;
    private long droppedCount;

    @AfterEach
    void close() {
        rocketBufs.close();
        broker.close();
    }

    @Test
    void shouldPublishAndSubscribeWithOneObject() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (RbmqClient client = RbmqClient.connect(address)) { // such as "127.0.0.1:7610"
            client.subscribe("prices", message -> {
                        System.out.println(message.text()); // 12.50 EUR
                        done.countDown();
                    })
                    .ready()
                    .join();
            client.publish("prices", "12.50 EUR");
            done.await();
        } // closing waits until the broker has consumed all messages
        assertThat(done.getCount()).isZero();
    }

    @Test
    void shouldConnectWithOptionsFromCode(@TempDir Path folder) throws Exception {
        Path tokenFile = Files.writeString(folder.resolve("token"), "the token\n");
        ClientOptions options = ClientOptions.defaults()
                .withBrokers("127.0.0.1:1," + address) // tried in this order
                .withName("price feed")
                .withTokenFile(tokenFile)
                .withCapacities(4 << 20, 1 << 20)
                .withSlowPolicy(SlowPolicy.SKIP);
        try (RbmqClient client = RbmqClient.connect(options)) {
            client.publisher(); // connects now, and throws a TransportException if that fails
            assertThat(client.topic("prices").longestMessage()).isEqualTo((4 << 20) - 4);
        }
    }

    @Test
    void shouldReplyInAHandler() {
        try (RbmqClient client = RbmqClient.connect(address)) {
            client.publisher(); // connects now, because a handler must not wait for it
            client.subscribe("questions", message -> client.tryPublish("answers", "yes"))
                    .ready()
                    .join();
            client.subscribe("answers", this::onMessage).ready().join();
            client.publish("questions", "ready?");
            await().untilAsserted(() -> assertThat(received).containsExactly("yes"));
        }
    }

    @Test
    void shouldRequestAndRespond() throws Exception {
        try (RbmqClient calculator = RbmqClient.connect(address);
                RbmqClient client = RbmqClient.connect(address)) {
            Responder responder = calculator.respond("calc/+", (request, replier) -> {
                replier.reply(request.topic() + " of " + request.text() + " is 5");
            });
            responder.ready().get(30, TimeUnit.SECONDS);
            client.request("calc/add", "2 3".getBytes(UTF_8), Duration.ofSeconds(30))
                    .whenComplete((reply, failure) -> {
                        events.add(failure == null ? reply.text() : failure.getMessage());
                    });
            await().untilAsserted(() -> assertThat(events).containsExactly("calc/add of 2 3 is 5"));
        }
    }

    @Test
    void shouldReactToTheReasonWhyThereIsNoReply() throws Exception {
        try (RbmqClient client = RbmqClient.connect(address)) {
            try {
                Reply reply = client.request("calc/add", "2 3".getBytes(UTF_8), Duration.ofSeconds(30))
                        .get();
                received.add(reply.text());
            } catch (ExecutionException e) {
                RequestException failure = (RequestException) e.getCause();
                switch (failure.reason()) {
                    case NO_RESPONDERS -> events.add("start the calculator");
                    case NO_SPACE, TIMEOUT -> events.add("the calculator is busy");
                    default -> events.add(failure.getMessage());
                }
            }
        }
        assertThat(events).containsExactly("start the calculator");
        assertThat(received).isEmpty();
    }

    @Test
    void shouldReplyLater() throws Exception {
        BlockingQueue<Replier> waiting = new LinkedBlockingQueue<>();
        try (RbmqClient client = RbmqClient.connect(address)) {
            client.respond("slow", (request, replier) -> waiting.add(replier))
                    .ready()
                    .join();
            CompletableFuture<Reply> reply = client.request("slow", MESSAGE, Duration.ofSeconds(30));
            Replier replier = waiting.take(); // on any thread, but only once
            if (replier.remainingMs() > 0) { // otherwise, the requester no longer waits
                replier.reply(new Headers().set("content-type", "text/plain"), MESSAGE);
            }
            assertThat(reply.get(30, TimeUnit.SECONDS).headers()).containsEntry("content-type", "text/plain");
        }
    }

    @Test
    void shouldConnectWithSettingsFromCode() {
        int port = broker.broker().addresses().get(0).getPort();
        ClientSettings settings = ClientSettings.publisher(ConfigFactory.load())
                .withBroker("127.0.0.1", port)
                .withName("price feed")
                .withToken("the new token");
        try (Publisher publisher = Publisher.connect(rocketBufs, settings)) {
            assertThat(publisher.isConnected()).isTrue();
        }
    }

    @Test
    void shouldReturnAResultForEachMessage() throws Exception {
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client);
                Publisher publisher = Publisher.connect(rocketBufs, client)) {
            subscriber.subscribe("prices", this::onMessage).ready().join();
            TopicPublisher prices = publisher.topic("prices");
            prices.announced().get(30, TimeUnit.SECONDS); // fails with the broker's reason when it refuses the topic
            assertThat(tryPublish(prices, MESSAGE)).isTrue();
            if (!publisher.flush(5_000)) {
                System.err.println(publisher.unconfirmedCount() + " messages may be lost");
            }
            assertThat(publisher.unconfirmedCount()).isZero();
            assertThat(tryPublish(prices, MESSAGE)).isTrue();
            publisher.flush().whenComplete((nothing, failure) -> {
                events.add(failure == null ? "the broker has consumed everything" : failure.getMessage());
            });
            await().untilAsserted(() -> assertThat(events).containsExactly("the broker has consumed everything"));
            await().untilAsserted(() -> assertThat(received).containsExactly("12.50 EUR", "12.50 EUR"));
        }
        assertThat(sentCount).isEqualTo(2);
        assertThat(droppedCount).isZero();
    }

    /** Returns false if the connection or the topic has ended. */
    private boolean tryPublish(TopicPublisher prices, byte[] message) {
        PublishResult result = prices.tryPublish(message);
        switch (result) {
            case PUBLISHED -> sentCount++;
            case NO_SPACE -> droppedCount++; // subscribers lag behind; publish(message) would wait for them
            default -> events.add("cannot publish: " + result);
        }
        return result == PublishResult.PUBLISHED || result == PublishResult.NO_SPACE;
    }

    @Test
    void shouldPublishManyMessagesWithOneCall() {
        List<String> quotes = List.of("12.50", "12.75", "12.25");
        try (RbmqClient client = RbmqClient.connect(address)) {
            client.subscribe("prices", this::onMessage).ready().join();
            TopicPublisher prices = client.topic("prices");
            PublishBatch batch = prices.batch(); // one per thread, reused for every batch
            for (String quote : quotes) {
                if (!batch.add(quote.getBytes(UTF_8))) {
                    events.add("cannot publish: " + batch.refusal());
                    break;
                }
            }
            PublishResult result = batch.publish();
            assertThat(result).isEqualTo(PublishResult.PUBLISHED);
            await().untilAsserted(() -> assertThat(received).isEqualTo(quotes));
        }
        assertThat(events).isEmpty();
    }

    @Test
    void shouldMakeNoMessagesForATopicWithoutSubscribers() throws Exception {
        try (Publisher publisher = Publisher.connect(rocketBufs, client)) {
            TopicPublisher prices = publisher.topic("prices");
            prices.announced().get(30, TimeUnit.SECONDS);
            if (prices.hasSubscribers()) { // otherwise no subscriber would receive the message
                prices.publish(makePrices());
            }
            assertThat(publisher.publishedCount()).isZero();
        }
    }

    private static byte[] makePrices() {
        throw new AssertionError("made for no subscriber");
    }

    @Test
    void shouldReportWhenThereIsNoSpace() throws Exception {
        PublisherCallback callback = new PublisherCallback() {
            @Override
            public void onBackPressure(String topic, boolean on) {
                events.add(topic + (on ? ": no space" : ": space again"));
            }
        };
        try (Publisher publisher = Publisher.connect(rocketBufs, client.withCapacities(100, 100), callback)) {
            TopicPublisher prices = publisher.topic("prices");
            prices.announced().get(30, TimeUnit.SECONDS);
            Claim claim = prices.tryClaim(90);
            assertThat(prices.tryPublish(MESSAGE)).isEqualTo(PublishResult.NO_SPACE);
            await().untilAsserted(() -> assertThat(events).containsExactly("prices: no space"));
            claim.abort();
            await().untilAsserted(() -> assertThat(events).containsExactly("prices: no space", "prices: space again"));
        }
    }

    @Test
    void shouldFailToAnnounceATopicThatNeedsTooMuchMemory() {
        ClientSettings settings = client.withCapacities(1L << 30, 1 << 20);
        try (Publisher publisher = Publisher.connect(rocketBufs, settings)) {
            TopicPublisher prices = publisher.topic("prices");
            assertThatThrownBy(() -> prices.announced().get(30, TimeUnit.SECONDS))
                    .hasMessageContaining("rbmq.broker.max-capacity");
            assertThat(prices.publish(MESSAGE)).isEqualTo(PublishResult.REFUSED);
        }
    }

    @Test
    void shouldReportErrorsOfHandlersAndTheEndOfPublishers() {
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onGap(Gap gap) {
                events.add(gap.topic() + ": missed " + gap.lostLength() + " bytes of publisher " + gap.publisher());
            }

            @Override
            public void onError(String topic, int publisher, Throwable error) {
                events.add(topic + ": " + error);
            }

            @Override
            public void onPublisherEnd(String topic, int publisher, String failure) {
                events.add(topic + ": publisher " + publisher + " has left: " + failure);
            }
        };
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client, callback)) {
            subscriber
                    .subscribe("prices", message -> {
                        throw new IllegalStateException("no such currency");
                    })
                    .ready()
                    .join();
            try (Publisher publisher = Publisher.connect(rocketBufs, client)) {
                publisher.publish("prices", MESSAGE);
            }
            await().untilAsserted(() -> assertThat(events)
                    .containsExactly(
                            "prices: java.lang.IllegalStateException: no such currency",
                            "prices: publisher 1 has left: null"));
            assertThat(subscriber.failedCount()).isEqualTo(1);
        }
    }

    @Test
    void shouldAcceptAPolicyForOneSubscription() throws Exception {
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client);
                Publisher publisher = Publisher.connect(rocketBufs, client)) {
            // Only the newest prices matter, but every order matters.
            Subscription prices = subscriber.subscribe("prices", this::onMessage, SlowPolicy.SKIP);
            Subscription orders = subscriber.subscribe("orders", this::onMessage, SlowPolicy.BLOCK);
            CompletableFuture.allOf(prices.ready(), orders.ready()).join();
            publisher.publish("orders", "buy".getBytes(UTF_8));
            await().untilAsserted(() -> assertThat(received).containsExactly("buy"));
            prices.close();
            prices.closed().get(30, TimeUnit.SECONDS); // the handler is no longer called
        }
    }

    @Test
    void shouldSubscribeToEveryTopicThatMatchesAFilter() throws Exception {
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client);
                Publisher publisher = Publisher.connect(rocketBufs, client)) {
            Subscription doors = subscriber.subscribe("building/+/door", message -> {
                events.add(message.topic() + " is " + new String(message.toBytes(), UTF_8));
            });
            doors.ready().get(30, TimeUnit.SECONDS); // topics that appear later are included
            publisher.publish("building/7/door", "open".getBytes(UTF_8));
            await().untilAsserted(() -> assertThat(events).containsExactly("building/7/door is open"));
            doors.pause(); // messages wait here and in the broker; when the buffers are full, publishers wait
            publisher.publish("building/8/door", "closed".getBytes(UTF_8));
            assertThat(publisher.flush(5_000)).isTrue();
            assertThat(events).hasSize(1);
            doors.resume();
            await().untilAsserted(() -> assertThat(events).last().isEqualTo("building/8/door is closed"));
        }
    }

    @Test
    void shouldShareTheMessagesOfAGroup() {
        try (RbmqClient client = RbmqClient.connect(address);
                RbmqClient one = RbmqClient.connect(address);
                RbmqClient two = RbmqClient.connect(address)) {
            SubscriptionOptions workers = SubscriptionOptions.DEFAULTS.withGroup("workers");
            for (RbmqClient worker : List.of(one, two)) {
                worker.subscribe(
                                "jobs/#",
                                message -> {
                                    // a lost member may have handled it
                                    events.add(message.text() + (message.isRedelivered() ? " (again)" : ""));
                                },
                                workers)
                        .ready()
                        .join();
            }
            client.publish("jobs/print", "page 1");
            client.publish("jobs/print", "page 2");
            await().untilAsserted(() -> assertThat(events).containsExactlyInAnyOrder("page 1", "page 2"));
        }
    }

    @Test
    void shouldBeginWithTheLastMessages() {
        Map<String, String> settings = new ConcurrentHashMap<>();
        try (RbmqBroker keeping = RbmqBroker.start(ConfigFactory.parseString("rbmq.broker.keep = 256 KiB"));
                RbmqClient client = RbmqClient.connect(keeping.address())) {
            client.publish("settings/color", "green");
            client.publish("settings/color", "blue");
            assertThat(client.flush(5_000)).isTrue();
            SubscriptionOptions last = SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.LAST);
            client.subscribe("settings/#", message -> settings.put(message.topic(), message.text()), last)
                    .caughtUp()
                    .join();
            System.out.println(settings.get("settings/color")); // blue
            assertThat(settings).hasSize(1).containsEntry("settings/color", "blue");
        }
    }

    @Test
    void shouldTellASubscriberThatItDelaysAPublisher() throws Exception {
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onSlow(String topic, int publisher, long waitingLength) {
                events.add(topic + ": this program is too slow"); // waitingLength bytes wait in the broker
            }

            @Override
            public void onSlowEnd(String topic, int publisher, long delayMs) {
                events.add(topic + ": caught up"); // the publisher was delayed for delayMs
            }
        };
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client, callback);
                Publisher publisher = Publisher.connect(rocketBufs, client)) {
            Subscription prices = subscriber.subscribe("prices", message -> {});
            prices.ready().get(30, TimeUnit.SECONDS);
            prices.pause();
            await().until(() -> {
                publisher.tryPublish("prices", new byte[100_000]);
                return !events.isEmpty();
            });
            prices.resume();
            await().untilAsserted(() ->
                    assertThat(events).containsExactly("prices: this program is too slow", "prices: caught up"));
        }
    }

    @Test
    void shouldReceiveTheLastMessageOfAPublisherThatHasLeft() {
        try (RbmqClient client = RbmqClient.connect(broker.address())) {
            TopicOptions keeping = TopicOptions.DEFAULTS.withKeepLast(true);
            client.topic("settings/color", keeping).publish("blue".getBytes(UTF_8));
            assertThat(client.flush(5_000)).isTrue();
        }
        try (RbmqClient client = RbmqClient.connect(broker.address())) {
            SubscriptionOptions last = SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.LAST);
            client.subscribe("settings/color", message -> received.add(message.text()), last)
                    .caughtUp()
                    .join();
        }
        assertThat(received).containsExactly("blue");
    }

    @Test
    void shouldReportTheGapsOfOneSubscription() {
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client)) {
            SubscriptionOptions options = SubscriptionOptions.DEFAULTS
                    .withSlowPolicy(SlowPolicy.SKIP)
                    .withGapHandler(gap -> events.add(gap.topic() + ": missed " + gap.lostLength()));
            Subscription prices = subscriber.subscribe("prices", this::onMessage, options);
            prices.ready().join();
            assertThat(prices.lostLength()).isZero();
        }
    }

    @Test
    void shouldHandleMessagesOnAnExecutorThatMayBlock() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        List<String> flowed = new CopyOnWriteArrayList<>();
        Flow.Subscriber<ReceivedMessage> consumer = new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(ReceivedMessage message) {
                flowed.add(message.text());
            }

            @Override
            public void onError(Throwable failure) {
                flowed.add(failure.toString());
            }

            @Override
            public void onComplete() {
                flowed.add("complete");
            }
        };
        try (RbmqClient client = RbmqClient.connect(address)) {
            Subscriber subscriber = client.subscriber();
            SubscriptionOptions onExecutor =
                    SubscriptionOptions.DEFAULTS.withExecutor(executor).withQueueCapacity(4 << 20);
            Subscription orders = subscriber.subscribe("orders", this::handleSlowly, onExecutor);

            Flow.Publisher<ReceivedMessage> flow = client.flow("prices/#", onExecutor);
            flow.subscribe(consumer); // onSubscribe, and then as many calls of onNext as the consumer requests

            orders.ready().join();
            client.subscribe("ready", message -> {}).ready().join(); // the broker answers in order
            for (int i = 0; i < 10; i++) {
                client.publish("orders", Integer.toString(i));
            }
            client.publish("prices/eur", "12.50");
            await().until(() -> events.size() == 10 && flowed.size() == 1);
        }
        await().until(() -> flowed.equals(List.of("12.50", "complete")));
        assertThat(events).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        executor.shutdown();
    }

    private void handleSlowly(Message message) {
        events.add(message.text());
    }

    @Test
    void shouldReconnectWhenTheBrokerHasRestarted() {
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onDisconnected(TransportException cause, long nextAttemptMs) {
                events.add("lost");
            }

            @Override
            public void onReconnected(String broker, boolean isSame) {
                events.add("reconnected");
            }

            @Override
            public void onGap(Gap gap) {
                events.add(gap.topic() + ": missed " + (gap.isKnown() ? gap.lostLength() + " bytes" : "unknown"));
            }
        };
        ClientOptions options = ClientOptions.defaults().withBrokers(address).withCallback(callback);
        try (RbmqClient resilient = RbmqClient.connect(options)) {
            resilient.subscribe("prices", this::onMessage).ready().join();
            resilient.publish("prices", MESSAGE);
            await().untilAsserted(() -> assertThat(received).hasSize(1));
            broker.close();
            await().untilAsserted(() -> assertThat(events).contains("lost"));
            Config samePort = ConfigFactory.parseString(
                    "rbmq.port = " + HostPort.parse(address).port());
            try (RbmqBroker second = RbmqBroker.start(samePort)) {
                await().untilAsserted(() -> assertThat(events).endsWith("reconnected", "prices: missed unknown"));
                await().until(() -> second.broker().state().publisherCount() == 1);
                await().untilAsserted(() -> {
                    resilient.publish("prices", MESSAGE);
                    assertThat(received).hasSizeGreaterThan(1);
                });
                assertThat(second.address()).isEqualTo(address);
            }
        }
    }

    @Test
    void shouldCountMessages() {
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client);
                Publisher publisher = Publisher.connect(rocketBufs, client)) {
            subscriber.subscribe("prices", this::onMessage).ready().join();
            publisher.publish("prices", MESSAGE);
            await().until(() -> subscriber.receivedCount() == 1);
            assertThat(publisher.publishedLength()).isEqualTo(MESSAGE.length);
            assertThat(rocketBufs.metrics().connections()).hasSize(2);
        }
    }

    @Test
    void shouldPublishAndReadHeaders() {
        try (Subscriber subscriber = Subscriber.connect(rocketBufs, client);
                Publisher publisher = Publisher.connect(rocketBufs, client)) {
            subscriber.subscribe("prices", this::readHeaders).ready().join();
            TopicPublisher prices = publisher.topic("prices");
            Headers headers = new Headers().set("content-type", "text/plain").set("currency", "EUR");
            for (int i = 0; i < 3; i++) {
                headers.set("time", System.currentTimeMillis());
                check(prices.publish(headers, MESSAGE)); // copies the headers
            }
            await().until(() -> received.size() == 3);
            assertThat(received).containsOnly("EUR");
            assertThat(events).hasSize(9).contains("content-type=text/plain", "currency=EUR");
        }
    }

    private static void check(PublishResult result) {
        assertThat(result).isEqualTo(PublishResult.PUBLISHED);
    }

    private void readHeaders(Message message) {
        MessageHeaders headers = message.headers();
        String currency = headers.get("currency"); // null if there is none
        long time = headers.getLong("time", 0);
        headers.forEach(header -> events.add(header.key() + "=" + header.text()));
        received.add(time > 0 ? currency : "no time");
    }

    private void onMessage(Message message) {
        received.add(new String(message.toBytes(), UTF_8));
    }
}
