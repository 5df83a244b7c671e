package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.ReconnectFixture.SOON;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a broker with users, whose clients lose and replace their connections. */
@Timeout(600)
final class ReconnectUsersSystemTest {
    private final RunningBroker running = new RunningBroker(
            "rbmq.users = [",
            "{ name = feed, token = feed-token, publish = [t, ask] }",
            "{ name = desk, token = desk-token, subscribe = [t] }",
            "{ name = calc, token = calc-token, subscribe = [ask] }",
            "{ name = few, token = few-token, publish = [t], subscribe = [t], max-connections = 1 }",
            "]",
            "rbmq.broker.keep = 1 MiB");
    private final Continuity seen = new Continuity();
    private CuttableProxy proxy;

    @BeforeEach
    void start() throws Exception {
        proxy = running.opened(new CuttableProxy(running.address()));
    }

    @AfterEach
    void close() {
        running.close();
    }

    private ClientSettings cuttable(String user) {
        return running.client().withBroker(proxy.address()).withReconnect(SOON).withToken(user + "-token");
    }

    private long refusals(String reason) {
        return running.broker().state().refusals().get(reason);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldPresentTheTokenWithEachConnection() throws Exception {
        Subscriber desk = running.subscriber(cuttable("desk"), seen);
        get(desk.subscribe("t", seen).ready());
        Publisher feed = running.publisher(cuttable("feed"));
        TopicPublisher topic = feed.topic("t");
        get(topic.announced());
        for (int cut = 1; cut <= 3; cut++) {
            Continuity.publish(topic, 10 * cut - 10, 10 * cut);
            long end = 10 * cut;
            await().until(() -> seen.next("t") == end);
            proxy.cut();
            int count = cut;
            await().until(() -> desk.reconnectCount() >= count && feed.reconnectCount() >= count);
        }
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.receivedCount("t")).isEqualTo(30);
        assertThat(refusals("no-token") + refusals("wrong-token")).isZero();
        // The clients still have the rights of their users.
        assertThatThrownBy(() -> get(desk.subscribe("ask", seen).ready()))
                .hasMessageContaining("user \"desk\" may subscribe to t, but not to topic \"ask\"");
        assertThatThrownBy(() -> get(feed.topic("other").announced()))
                .hasMessageContaining("user \"feed\" may publish to t, ask, but not to topic \"other\"");
    }

    @Test
    void shouldHaveAnInboxOfItsUserAfterEachReconnect() throws Exception {
        RbmqClient calc = client("calc");
        get(calc.respond("ask", (request, replier) -> replier.reply("yes")).ready());
        RbmqClient feed = client("feed");
        assertThat(awaitReply(feed)).isEqualTo("yes");
        for (int cut = 1; cut <= 2; cut++) {
            proxy.cut();
            int count = 2 * cut; // each client has two connections
            await().until(() -> calc.reconnectCount() >= count && feed.reconnectCount() >= count);
            assertThat(awaitReply(feed)).isEqualTo("yes");
        }
        assertThat(refusals("publish") + refusals("subscribe")).isZero();
    }

    /** Sends requests until one receives a reply, because requests fail until both clients have reconnected. */
    private static String awaitReply(RbmqClient requester) {
        return await().ignoreExceptions()
                .until(
                        () -> get(requester.request("ask", "?".getBytes(UTF_8), Duration.ofSeconds(2)))
                                .text(),
                        text -> true);
    }

    private RbmqClient client(String user) {
        return running.opened(RbmqClient.connect(ClientOptions.from(RunningBroker.config())
                .withBrokers(HostPort.of(proxy.address()))
                .withReconnect(SOON)
                .withToken(user + "-token")));
    }

    @Test
    void shouldKeepTryingUntilItsUserIsBelowMaxConnections() throws Exception {
        Subscriber few = running.subscriber(cuttable("few"), seen);
        Subscription subscription = few.subscribe("t", seen);
        get(subscription.ready());
        TopicPublisher topic =
                running.publisher(running.client().withToken("feed-token")).topic("t");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Publisher rival = await().ignoreExceptionsInstanceOf(TransportException.class)
                .until(() -> running.publisher(running.client().withToken("few-token")), connected -> true);
        long before = refusals("max-connections");
        proxy.mend();
        await().until(() -> refusals("max-connections") >= before + 5);
        assertThat(few.closed()).isNotDone();
        assertThat(subscription.closed()).isNotDone();
        await().until(() -> seen.events().stream()
                .anyMatch(event -> event.startsWith("lost: ")
                        && event.contains("user \"few\" has reached max-connections=1; try again when")));
        Continuity.publish(topic, 10, 20);
        rival.close();
        await().until(() -> seen.next("t") == 20);
        assertThat(seen.reconnectCount()).isEqualTo(1);
        assertThat(seen.gaps()).isEmpty();
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.receivedCount("t")).isEqualTo(20);
    }

    @Test
    void shouldKeepUnconfirmedMessagesWhileItsUserHasNoFreeConnection() throws Exception {
        get(running.subscriber(running.client().withToken("desk-token"), seen)
                .subscribe("t", seen)
                .ready());
        Publisher few = running.publisher(cuttable("few"));
        TopicPublisher topic = few.topic("t");
        get(topic.announced());
        proxy.interrupt();
        await().until(() -> running.broker().state().publisherCount() == 0);
        Subscriber rival = await().ignoreExceptionsInstanceOf(TransportException.class)
                .until(
                        () -> running.subscriber(running.client().withToken("few-token"), new SubscriberCallback() {}),
                        connected -> true);
        Continuity.publish(topic, 0, 10);
        long before = refusals("max-connections");
        proxy.mend();
        await().until(() -> refusals("max-connections") >= before + 3);
        Continuity.publish(topic, 10, 20);
        assertThat(few.closed()).isNotDone();
        rival.close();
        await().until(() -> seen.next("t") == 20);
        assertThat(few.flush(60_000)).isTrue();
        assertThat(seen.receivedCount("t")).isEqualTo(20);
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldEndWhenTheTokenIsNoLongerValid() throws Exception {
        Subscriber desk = running.subscriber(cuttable("desk"), seen);
        Publisher feed = running.publisher(cuttable("feed"));
        RunningBroker next = running.opened(new RunningBroker("rbmq.credentials = [another]"));
        proxy.leadTo(next.address());
        proxy.cut();
        for (CompletableFuture<Void> closed : List.of(desk.closed(), feed.closed())) {
            assertThatThrownBy(() -> get(closed))
                    .cause()
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.REFUSED))
                    .hasMessageContaining("the token is not valid");
        }
        assertThat(next.broker().state().refusals()).containsEntry("wrong-token", 2L);
    }

    @Test
    void shouldStayConnectedWithoutTheTopicsThatItsUserHasLost() throws Exception {
        Subscriber desk = running.subscriber(cuttable("desk"), seen);
        Subscription lost = desk.subscribe("t", seen);
        get(lost.ready());
        Publisher feed = running.publisher(cuttable("feed"));
        TopicPublisher kept = feed.topic("ask");
        TopicPublisher refused = feed.topic("t");
        get(kept.announced());
        get(refused.announced());
        RunningBroker next = running.opened(new RunningBroker(
                "rbmq.users = [",
                "{ name = feed, token = feed-token, publish = [ask] }",
                "{ name = desk, token = desk-token, subscribe = [u] }",
                "]"));
        proxy.leadTo(next.address());
        proxy.cut();
        await().until(() -> !seen.faults().isEmpty());
        assertThat(seen.faults())
                .singleElement()
                .asString()
                .contains("user \"desk\" may subscribe to u, but not to topic \"t\"");
        await().until(() -> refused.tryPublish(new byte[8]) == PublishResult.REFUSED);
        assertThat(kept.publish(new byte[8])).isEqualTo(PublishResult.PUBLISHED);
        get(desk.subscribe("u", seen).ready());
        assertThat(desk.closed()).isNotDone();
        assertThat(feed.closed()).isNotDone();
    }
}
