package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.ReconnectFixture.SOON;
import static io.rocketbufs.rbmq.ReconnectSystemTest.startBehind;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.NoRespondersException;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestCounts;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.RequestException.Reason;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.rbmq.client.Unconfirmed;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of the requests and replies of clients that reconnect. The timeout {@link #LONG} never expires during a test.
 */
@Tag("once")
@Timeout(600)
final class ReconnectRequestSystemTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final byte[] HELLO = "hello".getBytes(UTF_8);

    private final RunningBroker running = new RunningBroker();
    private final BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
    private CuttableProxy proxy;

    @BeforeEach
    void start() throws Exception {
        proxy = running.opened(new CuttableProxy(running.address()));
    }

    @AfterEach
    void close() {
        running.close();
    }

    private RbmqClient client(InetSocketAddress address) {
        return client(options(address));
    }

    private RbmqClient client(ClientOptions options) {
        return running.opened(RbmqClient.connect(options));
    }

    private static ClientOptions options(InetSocketAddress address) {
        return ClientOptions.from(RunningBroker.config())
                .withBrokers(HostPort.of(address))
                .withReconnect(SOON);
    }

    private static Responder ready(Responder responder) throws Exception {
        responder.ready().get(60, TimeUnit.SECONDS);
        return responder;
    }

    private static Reply reply(CompletableFuture<Reply> reply) throws Exception {
        return reply.get(60, TimeUnit.SECONDS);
    }

    private static RequestException failure(CompletableFuture<Reply> reply) throws Exception {
        try {
            throw new AssertionError("there is a reply: " + reply(reply).text());
        } catch (ExecutionException e) {
            return (RequestException) e.getCause();
        }
    }

    private static boolean isConnected(RbmqClient client) {
        return client.publisher().isConnected() && client.subscriber().isConnected();
    }

    private void awaitReconnected(RbmqClient client) {
        await().until(() -> client.reconnectCount() >= 2 && isConnected(client));
    }

    /**
     * Sends requests until one receives a reply. Requests that are sent too early fail. A request that a responder
     * misses while it is disconnected ends only by its timeout.
     */
    private static Reply awaitReply(RbmqClient requester) {
        return await().ignoreExceptions()
                .until(
                        () -> requester
                                .request("t", HELLO, Duration.ofSeconds(2))
                                .get(60, TimeUnit.SECONDS),
                        reply -> true);
    }

    @Test
    void shouldFailRequestsInFlightAndAnswerLaterOnesThroughTheInboxOfTheNextConnection() throws Exception {
        ready(client(running.address()).respond("t", (request, replier) -> {
            repliers.add(replier);
            if (repliers.size() > 1) {
                replier.reply("next");
            }
        }));
        RbmqClient requester = client(proxy.address());
        CompletableFuture<Reply> lost = requester.request("t", HELLO, LONG);
        Replier ofLost = await().until(repliers::peek, Objects::nonNull);
        proxy.cut();
        RequestException failure = failure(lost);
        assertThat(failure.reason()).isEqualTo(Reason.NOT_CONNECTED);
        assertThat(failure).hasMessageContaining("the connection to the broker was lost");
        awaitReconnected(requester);
        assertThat(ofLost.reply("to an inbox that has ended")).isEqualTo(PublishResult.PUBLISHED);
        assertThat(awaitReply(requester).text()).isEqualTo("next");
        assertThat(requester.requestCounts().inFlightCount()).isZero();
        assertThat(requester.requestCounts().repliedCount()).isEqualTo(1);
    }

    @Test
    void shouldFailARequestAtOnceWhileAConnectionIsLost() throws Exception {
        ready(client(running.address()).respond("t", (request, replier) -> replier.reply("done")));
        RbmqClient requester = client(proxy.address());
        assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("done");
        proxy.interrupt();
        await().until(() ->
                !requester.publisher().isConnected() && !requester.subscriber().isConnected());
        await().until(() -> {
            RequestException failure = failure(requester.request("t", HELLO, LONG));
            assertThat(failure.reason()).isEqualTo(Reason.NOT_CONNECTED);
            return true;
        });
        proxy.mend();
        assertThat(awaitReply(requester).text()).isEqualTo("done");
        assertThat(requester.closed()).isNotDone();
    }

    @Test
    void shouldMakeTheFirstRequestWhileTheConnectionsAreLost() throws Exception {
        ready(client(running.address()).respond("t", (request, replier) -> replier.reply("done")));
        RbmqClient requester = client(proxy.address());
        requester.publisher();
        requester.subscriber();
        proxy.interrupt();
        await().until(() ->
                !requester.publisher().isConnected() && !requester.subscriber().isConnected());
        assertThat(failure(requester.request("t", HELLO, LONG)).reason()).isEqualTo(Reason.NOT_CONNECTED);
        proxy.mend();
        assertThat(awaitReply(requester).text()).isEqualTo("done");
    }

    @ParameterizedTest
    @EnumSource(Unconfirmed.class)
    void shouldAnswerRequestsAgainWhenTheResponderHasReconnected(Unconfirmed unconfirmed) throws Exception {
        RbmqClient responding = client(options(proxy.address()).withUnconfirmed(unconfirmed));
        Responder responder = ready(responding.respond("t", (request, replier) -> replier.reply(request.toBytes())));
        RbmqClient requester = client(running.address());
        assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("hello");
        for (int i = 0; i < 3; i++) {
            long reconnects = responding.reconnectCount();
            proxy.cut();
            await().until(() -> responding.reconnectCount() >= reconnects + 2);
            assertThat(awaitReply(requester).text()).isEqualTo("hello");
        }
        assertThat(responder.closed()).isNotDone();
        // A reply may reach the requester before the responder has counted it.
        await().until(() -> replyCount(responding.requestCounts()) == responder.requestCount());
        assertThat(responder.requestCount()).isGreaterThanOrEqualTo(4);
    }

    /** Returns the number of replies that were sent, or refused because the publisher was not connected. */
    private static long replyCount(RequestCounts counts) {
        return counts.sentReplyCount() + counts.refusedReplyCount();
    }

    @Test
    void shouldSendRepliesMadeMeanwhileWhenTheResponderHasReconnected() throws Exception {
        RbmqClient responding = client(proxy.address());
        ready(responding.respond("t", (request, replier) -> repliers.add(replier)));
        RbmqClient requester = client(running.address());
        // Without this responder, the requester would be notified that there is none.
        ready(client(running.address()).respond("t", (request, replier) -> {}));
        CompletableFuture<Reply> first = requester.request("t", HELLO, LONG);
        repliers.take().reply("first");
        reply(first);
        CompletableFuture<Reply> second = requester.request("t", HELLO, LONG);
        CompletableFuture<Reply> unknown = client(running.address()).request("t", HELLO, LONG);
        Replier one = repliers.take();
        Replier other = repliers.take();
        proxy.interrupt();
        await().until(() -> !responding.publisher().isConnected());
        PublishResult resultOfOne = one.reply("late");
        PublishResult resultOfOther = other.reply("late");
        // The buffer for the first requester exists and stores the reply; there is no buffer for the other requester.
        assertThat(new PublishResult[] {resultOfOne, resultOfOther})
                .containsExactlyInAnyOrder(PublishResult.PUBLISHED, PublishResult.NOT_CONNECTED);
        proxy.mend();
        Replier refused = resultOfOne == PublishResult.PUBLISHED ? other : one;
        await().until(() -> refused.reply("late") == PublishResult.PUBLISHED);
        assertThat(reply(second).text()).isEqualTo("late");
        assertThat(reply(unknown).text()).isEqualTo("late");
    }

    @Test
    void shouldLearnFromTheNextConnectionThatThereIsNoResponderAnyMore() throws Exception {
        Responder responder =
                ready(client(running.address()).respond("t", (request, replier) -> replier.reply("done")));
        RbmqClient requester = client(proxy.address());
        assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("done");
        proxy.interrupt();
        await().until(() -> !isConnected(requester));
        responder.close();
        responder.closed().get(60, TimeUnit.SECONDS);
        proxy.mend();
        awaitReconnected(requester);
        await().until(() -> {
            RequestException failure = failure(requester.request("t", HELLO, LONG));
            return failure instanceof NoRespondersException;
        });
    }

    @Test
    void shouldFailRequestsInFlightWhenTheNextBrokerRefusesTheirTopic() throws Exception {
        RbmqBroker first = running.opened(startBehind(proxy, ""));
        ClientOptions options = ClientOptions.from(RunningBroker.config("rbmq.publisher.capacity = 4 MiB"))
                .withBrokers(HostPort.of(proxy.address()))
                .withReconnect(SOON);
        RbmqClient requester = client(options);
        assertThat(failure(requester.request("t", HELLO, LONG))).isInstanceOf(NoRespondersException.class);
        first.close();
        running.opened(startBehind(proxy, "rbmq.broker.capacity = 64 KiB, rbmq.broker.max-capacity = 1 MiB"));
        await().until(() -> {
            RequestException failure = failure(requester.request("t", HELLO, LONG));
            return failure.reason() == Reason.REFUSED && failure.getMessage().contains("rbmq.broker.max-capacity");
        });
        requester.close();
    }

    @Test
    void shouldAnswerRequestsWhenBothClientsHaveReachedARestartedBroker() throws Exception {
        RbmqBroker first = running.opened(startBehind(proxy, ""));
        ready(client(proxy.address()).respond("t", (request, replier) -> replier.reply(request.toBytes())));
        RbmqClient requester = client(proxy.address());
        assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("hello");
        long formerId = requester.publisher().broker().brokerId();
        first.close();
        running.opened(startBehind(proxy, ""));
        assertThat(awaitReply(requester).text()).isEqualTo("hello");
        assertThat(requester.publisher().broker().brokerId()).isNotEqualTo(formerId);
    }
}
