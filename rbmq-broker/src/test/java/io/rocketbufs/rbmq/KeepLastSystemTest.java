package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.broker.BrokerState;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.client.TopicOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.Unconfirmed;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.HeaderKey;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the last message of a topic outlives its publisher. */
@Tag("once")
@Timeout(600)
final class KeepLastSystemTest {
    private static final String RULE = "rbmq.topics = [{ match = \"config/#\", keep = last }]";
    private static final String COLOR = "config/color";

    private RunningBroker running;

    private void start(String... settings) {
        running = new RunningBroker(settings);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private TopicState topic(String name) {
        return running.broker().topics().stream()
                .filter(topic -> topic.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    private static void publish(Publisher publisher, String topic, String... texts) {
        for (String text : texts) {
            assertThat(publisher.topic(topic).publish(text.getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    /** Publishes messages and waits until their publisher has left gracefully. */
    private void publishAndLeave(String topic, String... texts) {
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publish(publisher, topic, texts);
        }
        awaitNoPublisher();
    }

    private void awaitNoPublisher() {
        await().until(() -> running.broker().state().publisherCount() == 0);
    }

    private List<String> receive(String filter, SubscriptionStart start) throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        receive(running.subscriber(), filter, start, received);
        return received;
    }

    private static Subscription receive(
            Subscriber subscriber, String filter, SubscriptionStart start, List<String> received) throws Exception {
        Subscription subscription = subscriber.subscribe(
                filter,
                message -> received.add(message.topic() + "=" + message.text()),
                SubscriptionOptions.DEFAULTS.withStart(start));
        subscription.caughtUp().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    @Test
    void shouldGiveMembersOfGroupsNoKeptMessageAndKeepTheirsForOthers() throws Exception {
        start(RULE);
        publishAndLeave(COLOR, "red");
        List<String> members = new CopyOnWriteArrayList<>();
        for (String filter : List.of(COLOR, COLOR, "config/#")) {
            running.subscriber()
                    .subscribe(
                            filter,
                            message -> members.add(filter + " " + message.text()),
                            SubscriptionOptions.DEFAULTS.withGroup("workers"))
                    .caughtUp()
                    .get(60, TimeUnit.SECONDS);
        }
        publishAndLeave(COLOR, "green", "blue");
        await().until(() -> members.size() == 4);
        assertThat(members)
                .containsExactlyInAnyOrder(COLOR + " green", COLOR + " blue", "config/# green", "config/# blue");
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }

    @Test
    void shouldReceiveTheLastMessageOfAPublisherThatHasLeft() throws Exception {
        start(RULE);
        publishAndLeave(COLOR, "red", "green", "blue");
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
        assertThat(receive("config/#", SubscriptionStart.OLDEST)).containsExactly("config/color=blue");
        assertThat(receive(COLOR, SubscriptionStart.LIVE)).isEmpty();
        assertThat(topic(COLOR).keptLength()).isEqualTo("blue".length() + Integer.BYTES);
    }

    @Test
    void shouldReceiveTheLastMessageOfAPublisherThatWasKilled() throws Exception {
        start(RULE);
        RocketBufs process = running.another();
        Publisher publisher = Publisher.connect(process, running.publisherSettings());
        publish(publisher, COLOR, "red", "blue");
        assertThat(publisher.flush(60_000)).isTrue();
        process.close(); // ends the connection abruptly
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }

    @Test
    void shouldReceiveTheLastMessageOfAConnectedPublisherHoweverLongItIs() throws Exception {
        start(RULE, "rbmq.publisher.capacity = 2 MiB");
        Publisher publisher = running.publisher();
        publish(publisher, COLOR, "red", "x".repeat((2 << 20) - Integer.BYTES));
        assertThat(publisher.flush(60_000)).isTrue();
        assertThat(receive(COLOR, SubscriptionStart.LAST))
                .singleElement()
                .satisfies(received -> assertThat(received).hasSize(COLOR.length() + 1 + (2 << 20) - Integer.BYTES));
        publisher.close();
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST))
                .singleElement()
                .satisfies(received -> assertThat(received).hasSize(COLOR.length() + 1 + (2 << 20) - Integer.BYTES));
    }

    @Test
    void shouldKeepNothingOfTopicsWithoutTheRule() throws Exception {
        start(RULE);
        publishAndLeave("other", "red");
        assertThat(receive("#", SubscriptionStart.LAST)).isEmpty();
        assertThat(running.broker().topics()).isEmpty();
        assertThat(running.broker().state().keptCount()).isZero();
    }

    @Test
    void shouldReplaceTheMessageWhenAnotherPublisherSendsItsFirst() throws Exception {
        start(RULE);
        publishAndLeave(COLOR, "red");
        Publisher next = running.publisher();
        next.topic(COLOR).announced().get(60, TimeUnit.SECONDS);
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=red");
        publish(next, COLOR, "blue");
        assertThat(next.flush(60_000)).isTrue();
        assertThat(running.broker().state().keptCount()).isZero();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }

    @Test
    void shouldKeepTheMessageThatHasArrivedLastWhenSeveralPublishersLeave() throws Exception {
        start(RULE);
        Publisher first = running.publisher();
        Publisher second = running.publisher();
        publish(first, COLOR, "red");
        assertThat(first.flush(60_000)).isTrue();
        publish(second, COLOR, "green");
        assertThat(second.flush(60_000)).isTrue();
        assertThat(receive(COLOR, SubscriptionStart.LAST))
                .containsExactlyInAnyOrder("config/color=red", "config/color=green");
        first.close();
        await().until(() -> running.broker().state().publisherCount() == 1);
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=green");
        Publisher third = running.publisher();
        publish(third, COLOR, "blue");
        assertThat(third.flush(60_000)).isTrue();
        third.close();
        await().until(() -> running.broker().state().publisherCount() == 1);
        assertThat(running.broker().state().keptCount()).isEqualTo(1);
        second.close();
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }

    @Test
    void shouldReceiveTheLastMessageOnceWhenThePublisherLeavesMeanwhile() throws Exception {
        start(RULE);
        Subscriber subscriber = running.subscriber();
        for (int i = 0; i < 100; i++) {
            Publisher publisher = running.publisher();
            String topic = "config/" + i;
            publish(publisher, topic, "old", "new");
            assertThat(publisher.flush(60_000)).isTrue();
            List<String> received = new CopyOnWriteArrayList<>();
            Thread leaving = new Thread(publisher::close);
            leaving.start();
            receive(subscriber, topic, SubscriptionStart.LAST, received);
            leaving.join();
            assertThat(received).containsExactly(topic + "=new");
        }
    }

    @Test
    void shouldSubscribeToTheCopyWhenThePublisherLeavesBetweenListAndSubscription() throws Exception {
        start(RULE);
        Publisher publisher = running.publisher();
        publish(publisher, COLOR, "red", "blue");
        assertThat(publisher.flush(60_000)).isTrue();
        RawReader last = reader(COLOR);
        RawReader oldest = reader(COLOR);
        RawReader live = reader(COLOR);
        int bufferId = last.listedBuffer();
        publisher.close();
        awaitNoPublisher();
        last.subscribe(bufferId, SubscribeOptions.DEFAULTS.withStart(Start.LAST));
        await().until(() -> last.events().equals(List.of("blue", "end: null")));
        oldest.subscribe(bufferId, SubscribeOptions.DEFAULTS.withStart(Start.OLDEST));
        await().until(() -> oldest.events().equals(List.of("blue", "end: null")));
        live.subscribe(bufferId, SubscribeOptions.DEFAULTS);
        await().until(() -> live.events().equals(List.of("end: null")));
        int red = "red".length() + Integer.BYTES;
        int blue = "blue".length() + Integer.BYTES;
        for (int position : new int[] {0, red, red + blue}) {
            RawReader returning = reader(COLOR);
            returning.subscribe(bufferId, SubscribeOptions.DEFAULTS.withStart(Start.at(position)));
            List<String> expected = new ArrayList<>(position == 0 ? List.of("missed " + red) : List.of());
            expected.addAll(position == red + blue ? List.of() : List.of("blue"));
            expected.add("end: null");
            await().until(() -> returning.events().equals(expected));
        }
        CompletableFuture<Void> beyond =
                reader(COLOR).subscribe(bufferId, SubscribeOptions.DEFAULTS.withStart(Start.at(red + blue + 1)));
        assertThatThrownBy(() -> beyond.get(60, TimeUnit.SECONDS))
                .hasMessageContaining("lies beyond the end of buffer");
    }

    private RawReader reader(String topic) throws Exception {
        RawReader reader = new RawReader(running.clients(), running.address(), "");
        reader.subscribe(topic);
        return reader;
    }

    @Test
    void shouldRemoveTheOldestMessageBeyondTheLimit() throws Exception {
        start(RULE, "rbmq.limits.kept-bytes = 12 KiB"); // three memory pages
        try (LoggedLines logged = new LoggedLines()) {
            for (int i = 0; i < 5; i++) {
                publishAndLeave("config/" + i, "v" + i);
            }
            assertThat(receive("#", SubscriptionStart.LAST))
                    .containsExactlyInAnyOrder("config/2=v2", "config/3=v3", "config/4=v4");
            publishAndLeave("config/huge", "x".repeat(13 << 10)); // alone exceeds the limit
            assertThat(receive("#", SubscriptionStart.LAST)).hasSize(3);
            assertThat(logged.with("exceed rbmq.limits.kept-bytes=12288: removed 1, beginning with that of topic"
                            + " \"config/0\""))
                    .hasSize(1);
            assertThat(logged.with("exceed rbmq.limits.kept-bytes")).hasSize(1);
        }
        BrokerState state = running.broker().state();
        assertThat(state.keptCount()).isEqualTo(3);
        assertThat(state.keptLength()).isEqualTo(12 << 10);
        assertThat(state.keptRemovedCount()).isEqualTo(3);
        assertThat(running.broker().topics()).hasSize(3);
    }

    @Test
    void shouldKeepTheLastMessagesOfThousandTopics() throws Exception {
        start(RULE, "rbmq.broker.capacity = 4 KiB", "rbmq.publisher.capacity = 4 KiB");
        List<String> expected = new ArrayList<>();
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            for (int i = 0; i < 1000; i++) {
                publish(publisher, "config/" + i, "old", "new" + i);
                expected.add("config/" + i + "=new" + i);
            }
        }
        awaitNoPublisher();
        assertThat(running.broker().state().keptCount()).isEqualTo(1000);
        assertThat(receive("config/+", SubscriptionStart.LAST)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(receive("config/+", SubscriptionStart.LIVE)).isEmpty();
    }

    @Test
    void shouldSendTheMessageOnlyToUsersThatMaySubscribe() throws Exception {
        start(
                RULE,
                "rbmq.users = [",
                "{ name = all, token = all-token, publish = [\"#\"], subscribe = [\"#\"] }",
                "{ name = other, token = other-token, subscribe = [\"other/#\"] }]");
        try (Publisher publisher =
                Publisher.connect(running.clients(), running.publisherSettings().withToken("all-token"))) {
            publish(publisher, COLOR, "red");
        }
        awaitNoPublisher();
        int bufferId = 1; // the first id that the broker assigns
        RawReader other = new RawReader(running.clients(), running.address(), "other-token");
        CompletableFuture<Void> refused = other.subscribe(bufferId, SubscribeOptions.DEFAULTS.withStart(Start.LAST));
        assertThatThrownBy(() -> refused.get(60, TimeUnit.SECONDS))
                .hasMessageContaining("buffer " + bufferId + " does not exist");
        RawReader allowed = new RawReader(running.clients(), running.address(), "all-token");
        allowed.subscribe(bufferId, SubscribeOptions.DEFAULTS.withStart(Start.LAST));
        await().until(() -> allowed.events().equals(List.of("red", "end: null")));
    }

    @Test
    void shouldReceiveAMessageOnceThatWasPublishedWhileTheConnectionWasLost() throws Exception {
        start(RULE);
        CuttableProxy proxy = running.opened(new CuttableProxy(running.address()));
        Continuity callback = new Continuity();
        List<String> live = new CopyOnWriteArrayList<>();
        List<String> last = new CopyOnWriteArrayList<>();
        ClientSettings settings =
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(ReconnectFixture.SOON);
        Publisher publisher = running.publisher();
        publish(publisher, COLOR, "red");
        assertThat(publisher.flush(60_000)).isTrue();
        receive(running.subscriber(settings, callback), "config/+", SubscriptionStart.LIVE, live);
        receive(running.subscriber(settings, callback), "config/+", SubscriptionStart.LAST, last);
        publish(publisher, COLOR, "green");
        await().until(() -> live.size() == 1 && last.size() == 2);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        publish(publisher, COLOR, "blue");
        publisher.close();
        awaitNoPublisher();
        proxy.mend();
        await().until(() -> live.size() == 2 && last.size() == 3 && callback.ends() == 2);
        assertThat(live).containsExactly("config/color=green", "config/color=blue");
        assertThat(last).containsExactly("config/color=red", "config/color=green", "config/color=blue");
        assertThat(callback.gaps()).isEmpty();
        assertThat(callback.faults()).isEmpty();
        // From here on, only the copy remains, which the subscription with LIVE has already received.
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        proxy.mend();
        await().until(() -> last.size() == 4 && callback.reconnectCount() == 4);
        assertThat(last.get(3)).isEqualTo("config/color=blue");
        // Both must have rejoined before the next message, which would otherwise be lost to the subscription with LIVE.
        await().until(() -> running.broker().topics().get(0).subscribers().size() == 2);
        publishAndLeave(COLOR, "white");
        await().until(() -> live.contains("config/color=white") && last.contains("config/color=white"));
        assertThat(live).hasSize(3);
        assertThat(last).hasSize(5);
        assertThat(callback.gaps()).isEmpty();
    }

    @Test
    void shouldKeepTheMessageWhileASlowSubscriberHoldsTheBufferAndAfterThat() throws Exception {
        start(
                "rbmq.topics = [{ match = \"config/#\", keep = last, drain-timeout = 10 ms }]",
                "rbmq.broker { capacity = 64 KiB, stall-timeout = 1 h }",
                "rbmq.publisher.capacity = 64 KiB",
                "rbmq.subscriber.capacity = 64 KiB");
        RawReader slow = reader(COLOR); // the broker waits for it to subscribe to the buffer
        await().until(() -> !running.broker().topics().isEmpty());
        RocketBufs leaving = running.another();
        Publisher publisher = Publisher.connect(leaving, running.publisherSettings());
        publish(publisher, COLOR, "red", "blue");
        await().until(() -> running.broker().state().receivedLength() == 15);
        int bufferId = slow.listedBuffer();
        leaving.close(); // closing only the publisher would wait for the reader
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
        slow.subscribe(bufferId, SubscribeOptions.DEFAULTS);
        await().until(() -> slow.events().stream().anyMatch(event -> event.startsWith("end: ")));
        assertThat(slow.events().get(0)).contains("red"); // the data held for this reader, not the copy
        await().until(() -> running.broker().state().subscriberCount() == 2);
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }

    @Test
    void shouldKeepTheMessageThatAPublisherAsksToKeep() throws Exception {
        start("rbmq.topics = [{ match = other }]");
        TopicOptions keeping = TopicOptions.DEFAULTS.withKeepLast(true);
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            assertThat(publisher.topic(COLOR, keeping).publish("red".getBytes(UTF_8)))
                    .isEqualTo(PublishResult.PUBLISHED);
            publish(publisher, "other", "gone");
            assertThat(publisher.topic(COLOR)).isSameAs(publisher.topic(COLOR, keeping));
            assertThatThrownBy(() -> publisher.topic("other", keeping))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("use another Publisher");
        }
        awaitNoPublisher();
        assertThat(receive("#", SubscriptionStart.LAST)).containsExactly("config/color=red");
        publishAndLeave(COLOR, "not kept"); // so the kept message stays the same
        assertThat(receive("#", SubscriptionStart.LAST)).containsExactly("config/color=red");
    }

    @Test
    void shouldRefuseATopicWhenTheBrokerCannotKeepItsLastMessage() {
        start();
        TopicOptions keeping = TopicOptions.DEFAULTS.withKeepLast(true);
        RocketBufs old = running.another();
        Listener listener = new Listener(old, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            new RIn(connection);
            connection.sendControlMessage(WelcomeLayout.write(
                    new Welcome(2, Features.SUPPORTED & ~Features.KEPT, 1, 1 << 20, (1 << 20) - Integer.BYTES)));
        });
        Publisher publisher = running.publisher(running.publisherSettings().withBroker(listener.address()));
        TopicPublisher topic = publisher.topic(COLOR, keeping);
        assertThatThrownBy(() -> topic.announced().get(60, TimeUnit.SECONDS))
                .hasMessageContaining("the broker refused topic \"config/color\": it does not support");
        assertThat(topic.publish(new byte[1])).isEqualTo(PublishResult.REFUSED);
    }

    @Test
    void shouldAskAgainToKeepTheMessageAfterAReconnect() throws Exception {
        for (Unconfirmed unconfirmed : Unconfirmed.values()) {
            start();
            CuttableProxy proxy = running.opened(new CuttableProxy(running.address()));
            Publisher publisher = running.publisher(running.publisherSettings()
                    .withBroker(proxy.address())
                    .withReconnect(ReconnectFixture.SOON)
                    .withUnconfirmed(unconfirmed));
            TopicPublisher topic = publisher.topic(COLOR, TopicOptions.DEFAULTS.withKeepLast(true));
            topic.announced().get(60, TimeUnit.SECONDS);
            proxy.cut();
            await().until(() -> publisher.reconnectCount() == 1);
            await().until(() -> topic.publish("red".getBytes(UTF_8)) == PublishResult.PUBLISHED);
            publisher.close();
            awaitNoPublisher();
            assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=red");
            running.close();
        }
    }

    @Test
    void shouldKeepNothingAfterAnEmptyMessageThatClears() throws Exception {
        start(RULE);
        publishAndLeave(COLOR, "red");
        Headers clear = new Headers().set("time", 1).set(HeaderKey.CLEAR, "");
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publisher.topic(COLOR).publish(clear, new byte[0]);
        }
        awaitNoPublisher();
        assertThat(running.broker().topics()).isEmpty();
        assertThat(running.broker().state().keptCount()).isZero();
        publishAndLeave(COLOR, "");
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=");
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publisher.topic(COLOR).publish(clear, "not empty".getBytes(UTF_8));
        }
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=not empty");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00 00", // truncated
                "00 00 00 02 01", // longer than the transfer
                "7f ff ff ff 01",
                "00 00 00 01 2a 00 00 00 09 01" // after a valid message
            })
    void shouldKeepNothingOfAMalformedMessage(String frame) throws Exception {
        start(RULE);
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        publisher.createBuffer(1, 4096);
        publisher.announce(1, 4096, COLOR);
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCED");
        try (LoggedLines logged = new LoggedLines()) {
            publisher.deliver(1, HexFormat.ofDelimiter(" ").parseHex(frame));
            publisher.removeBuffer(1);
            await().until(() ->
                    logged.with("ended without a valid last message").size() == 1);
        }
        await().until(() -> running.broker().topics().isEmpty());
        assertThat(running.broker().state().keptCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80 00 00 00", // no header block
                "80 00 00 01 00",
                "80 00 00 05 00 09 87 00 00", // header block longer than the message
                "80 00 00 05 00 03 87 00 01", // value longer than the message
                "80 00 00 04 00 02 87 00", // value length missing
                "80 00 00 05 00 03 86 00 00" // different key
            })
    void shouldKeepAMessageWhoseHeadersDoNotClear(String frame) throws Exception {
        start(RULE);
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        publisher.createBuffer(1, 4096);
        publisher.announce(1, 4096, COLOR);
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCED");
        publisher.deliver(1, HexFormat.ofDelimiter(" ").parseHex(frame));
        publisher.removeBuffer(1);
        await().until(() -> running.broker().state().keptCount() == 1);
        assertThat(topic(COLOR).keptLength()).isEqualTo((frame.length() + 1) / 3);
    }
}
