package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.Role;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.text.HostPort;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the inboxes of requesters, which other clients must not read. */
@Tag("once")
@Timeout(600)
final class InboxSystemTest {
    private final RunningBroker running = new RunningBroker();
    private static final String OTHERS = InboxName.random();

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldAcceptTheOwnInboxOnly() throws Exception {
        RawClient owner = new RawClient(running, Role.SUBSCRIBER);
        String inbox = owner.welcome().inbox();
        owner.send(TopicLayout.write(1, null, inbox));
        assertThat(owner.nextNotice()).startsWith("TOPIC_LISTED");
        RawClient other = new RawClient(running, Role.SUBSCRIBER);
        assertThat(InboxName.is(other.welcome().inbox())).isTrue();
        assertRefuses(other, 1, inbox);
        assertRefuses(other, 2, OTHERS);
        owner.send(TopicLayout.write(2, null, inbox));
        assertThat(owner.nextNotice()).startsWith("TOPIC_LISTED");
        assertThat(new RawClient(running, Role.PUBLISHER).welcome().inbox()).isEmpty();
    }

    @Test
    void shouldNotGiveTheInboxOfAClientThatHasLeftToAnother() throws Exception {
        RawClient owner = new RawClient(running, Role.SUBSCRIBER);
        String inbox = owner.welcome().inbox();
        owner.send(TopicLayout.write(1, null, inbox));
        assertThat(owner.nextNotice()).startsWith("TOPIC_LISTED");
        RawClient other = new RawClient(running, Role.SUBSCRIBER);
        other.welcome();
        owner.connection().close();
        await().until(() -> running.broker().state().subscriberCount() == 1);
        assertRefuses(other, 1, inbox);
        RawClient responder = new RawClient(running, Role.PUBLISHER);
        responder.createBuffer(1, 4096);
        responder.announce(1, 4096, inbox);
        assertThat(responder.nextNotice()).startsWith("ANNOUNCED");
        assertRefuses(other, 2, inbox);
        assertThat(responder.interest()).containsExactly(0);
    }

    private static void assertRefuses(RawClient client, int number, String inbox) throws Exception {
        client.send(TopicLayout.write(number, null, inbox));
        assertThat(client.nextNotice())
                .isEqualTo("TOPIC_REFUSED inbox \"" + InboxName.shown(inbox)
                        + "\" is not the one in this client's WELCOME");
    }

    @Test
    void shouldNotSendTheBuffersOfAnInboxToAClientThatGuessesTheirIds() throws Exception {
        try (RbmqClient owner = RbmqClient.connect(HostPort.of(running.address()));
                RbmqClient responding = RbmqClient.connect(HostPort.of(running.address()))) {
            responding
                    .respond("t", (request, replier) -> replier.reply("secret"))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            Spy spy = new Spy(running);
            // From here on, the spy tries to subscribe to the buffers of the request and the replies, before and after
            // they exist.
            CompletableFuture<Void> began = new CompletableFuture<>();
            Thread guessing = new Thread(() -> spy.guess(began), "guess");
            guessing.start();
            began.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 20; i++) {
                assertThat(owner.request("t", new byte[0], Duration.ofHours(1))
                                .get(60, TimeUnit.SECONDS)
                                .text())
                        .isEqualTo("secret");
            }
            spy.stop();
            guessing.join();
            List<Integer> inboxes = buffersOf("$R/");
            assertThat(inboxes)
                    .hasSize(1)
                    .allSatisfy(id -> assertThat(spy.subscribe(id)).endsWith(": buffer " + id + " does not exist"));
            assertThat(buffersOf("t"))
                    .hasSize(1)
                    .allSatisfy(id -> assertThat(spy.subscribed()).contains(id));
            assertThat(spy.subscribed()).doesNotContainAnyElementsOf(inboxes);
            assertThat(owner.request("t", new byte[0], Duration.ofHours(1))
                            .get(60, TimeUnit.SECONDS)
                            .text())
                    .isEqualTo("secret");
        }
    }

    private List<Integer> buffersOf(String prefix) {
        return running.broker().topics().stream()
                .filter(topic -> topic.name().startsWith(prefix))
                .flatMap(topic -> topic.publishers().stream())
                .map(publisher -> publisher.bufferId())
                .toList();
    }

    /** A client that subscribes to the broker's buffers without being subscribed to their topics. */
    private static final class Spy {
        private final CompletableFuture<RIn> in = new CompletableFuture<>();
        private final Set<Integer> subscribed = ConcurrentHashMap.newKeySet();
        private volatile boolean stopped;

        Spy(RunningBroker running) throws Exception {
            ConnectOptions options =
                    ConnectOptions.as(Role.SUBSCRIBER, this::attach).withGreeting(GreetingLayout.write("spy", ""));
            running.clients().connect(running.address(), options).get(60, TimeUnit.SECONDS);
        }

        private void attach(Connection connection) {
            RIn attached = new RIn(connection);
            attached.setControlMessageCallback(message -> {});
            attached.setDataInCallback((id, data) -> attached.dataConsumed(id, data.length()));
            connection.setCloseCallback(failure -> {});
            in.complete(attached);
        }

        void guess(CompletableFuture<Void> began) {
            while (!stopped) {
                for (int id = 1; id <= 4; id++) {
                    if (!subscribed.contains(id) && subscribe(id).isEmpty()) {
                        subscribed.add(id);
                    }
                }
                began.complete(null);
            }
        }

        void stop() {
            stopped = true;
        }

        Set<Integer> subscribed() {
            return subscribed;
        }

        /** Returns why the broker refuses the subscription; empty if the broker accepts it. */
        String subscribe(int id) {
            try {
                in.join()
                        .subscribe(id, 1 << 20, SubscribeOptions.DEFAULTS.withFlowControl(true))
                        .get(60, TimeUnit.SECONDS);
                return "";
            } catch (ExecutionException e) {
                return e.getCause().getMessage();
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void shouldAcceptAFewSubscriptionsToTheOwnInbox() throws Exception {
        RawClient owner = new RawClient(running, Role.SUBSCRIBER);
        String inbox = owner.welcome().inbox();
        for (int i = 1; i <= 16; i++) {
            owner.send(TopicLayout.write(i, null, inbox));
            assertThat(owner.nextNotice()).startsWith("TOPIC_LISTED");
        }
        owner.send(TopicLayout.write(17, null, inbox));
        assertThat(owner.nextNotice())
                .isEqualTo("TOPIC_REFUSED subscription 17 exceeds the limit of 16 subscriptions to a client's inbox");
        owner.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, 1, ""));
        assertThat(owner.nextNotice()).startsWith("TOPIC_UNSUBSCRIBED");
        owner.send(TopicLayout.write(18, null, inbox));
        assertThat(owner.nextNotice()).startsWith("TOPIC_LISTED");
    }

    @Test
    void shouldAcceptAnInboxAgainBeforeItsFormerBufferHasEnded() throws Exception {
        RawClient responder = new RawClient(running, Role.PUBLISHER);
        for (int id = 1; id <= 3; id++) {
            responder.createBuffer(id, 4096);
        }
        responder.announce(1, 4096, OTHERS);
        assertThat(responder.nextNotice()).startsWith("ANNOUNCED");
        responder.announce(2, 4096, OTHERS);
        assertThat(responder.nextNotice()).startsWith("ANNOUNCED");
        responder.announce(3, 4096, "t");
        assertThat(responder.nextNotice()).startsWith("ANNOUNCED");
        responder.announce(4, 4096, "t");
        assertThat(responder.nextNotice()).contains("already announced on this connection");
    }

    @ParameterizedTest
    @ValueSource(strings = {"$R/#", "$R/+", "$R", "$R/x", "$R/0123456789ABCDEF0123456789ABCDEF", "$S/a"})
    void shouldRefuseOtherFiltersAndTopicsThatBeginWithADollarSign(String name) throws Exception {
        byte[] bytes = name.getBytes(UTF_8);
        RawClient subscriber = new RawClient(running, Role.SUBSCRIBER);
        subscriber.send(ByteBuffer.allocate(7 + bytes.length)
                .put(new byte[] {4, 1, 0, 0, 0, 1, 0})
                .put(bytes)
                .flip());
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED").contains("begins with $");
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        publisher.send(ByteBuffer.allocate(14 + bytes.length)
                .put(new byte[] {1, 1})
                .putInt(1)
                .putLong(1000)
                .put(bytes)
                .flip());
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCE_REFUSED");
    }

    @Test
    void shouldRefuseInboxesInPrograms() {
        try (RbmqClient client = RbmqClient.connect(HostPort.of(running.address()))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.publish(OTHERS, "x"))
                    .withMessageContaining("begins with $");
            assertThatIllegalArgumentException().isThrownBy(() -> client.subscribe(OTHERS, message -> {}));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.request(OTHERS, new byte[0], Duration.ofSeconds(1)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.respond(OTHERS, (request, replier) -> replier.reply("x")));
        }
    }

    @Test
    void shouldNotMatchRepliesWithWildcards() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        try (RbmqClient spy = RbmqClient.connect(HostPort.of(running.address()));
                RbmqClient client = RbmqClient.connect(HostPort.of(running.address()))) {
            for (String filter : List.of("#", "+/#", "+/+")) {
                spy.subscribe(filter, message -> received.add(message.topic()))
                        .ready()
                        .get(60, TimeUnit.SECONDS);
            }
            client.respond("a/b", (request, replier) -> replier.reply("secret"))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            CompletableFuture<?> reply = client.request("a/b", new byte[0], Duration.ofHours(1));
            reply.get(60, TimeUnit.SECONDS);
            // Filters are added to a topic when its first buffer joins, which happens before the reply arrives.
            assertThat(running.broker().topics())
                    .filteredOn(topic -> topic.name().startsWith("$R/"))
                    .singleElement()
                    .satisfies(topic -> {
                        assertThat(topic.publishers()).hasSize(1);
                        assertThat(topic.subscribers()).hasSize(1);
                    });
            await().until(() -> received.size() == 3);
        }
        assertThat(received).containsOnly("a/b");
    }
}
