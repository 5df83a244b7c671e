package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.NoRespondersException;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestHandler;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.text.HostPort;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of replies when the responder ends, when its connection is lost, and when the requester is hostile. */
@Timeout(600)
final class ReplySystemTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final byte[] HELLO = "hello".getBytes(UTF_8);
    /** A reply that fills a small reply buffer, so that the next reply waits until this one has been sent. */
    private static final byte[] LARGE = new byte[3000];

    private static final String SMALL_BUFFER = "rbmq.client.reply-capacity = 4096";

    private final RunningBroker running =
            new RunningBroker("rocketbufs.close-timeout = 500 ms", "rbmq.broker.stall-timeout = 1 hour");
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
    private final List<ExecutorService> executors = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        executors.forEach(ExecutorService::shutdownNow);
        running.close();
    }

    // Tests of the end of the responder.

    @Test
    void shouldRefuseAReplyAfterTheConnectionIsLost() throws Exception {
        RbmqClient responding = client("");
        ready(responding.respond("t", (request, replier) -> repliers.add(replier)));
        RbmqClient requester = client("");
        requester.request("t", HELLO, LONG);
        requester.request("t", HELLO, LONG);
        Replier onWorker = repliers.take();
        Replier late = repliers.take();
        CompletableFuture<PublishResult> inCallback = new CompletableFuture<>();
        responding.publisher().closed().whenComplete((nothing, lost) -> inCallback.complete(onWorker.reply("x")));
        running.loseBroker();
        assertThat(inCallback.get(60, TimeUnit.SECONDS)).isEqualTo(PublishResult.NOT_CONNECTED);
        CompletableFuture<PublishResult> result = new CompletableFuture<>();
        new Thread(() -> result.complete(late.reply("x")), "late reply").start();
        assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(PublishResult.NOT_CONNECTED);
        responding.close();
        assertThat(late.reply("x")).isEqualTo(PublishResult.CLOSED);
        assertThat(responding.requestCounts().refusedReplyCount()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSendTheRepliesOfAHandlerThatIsRunningDuringClose(boolean closesClient) throws Exception {
        int count = 20;
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        RbmqClient responding = client(SMALL_BUFFER + ", rbmq.publisher.drain-timeout = 1 hour");
        RequestHandler handler = (request, replier) -> {
            repliers.add(replier);
            if (repliers.size() == count) {
                inHandler.countDown();
                awaitUnchecked(go);
                repliers.forEach(each -> each.reply(LARGE));
            }
        };
        Responder responder = ready(responding.respond("t", handler));
        RbmqClient requester = client("");
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            replies.add(requester.request("t", HELLO, LONG));
        }
        inHandler.await();
        Thread closing = new Thread(closesClient ? responding::close : responder::close, "closing");
        closing.start();
        if (closesClient) {
            awaitWaiting(closing);
        } else {
            closing.join();
        }
        go.countDown();
        for (CompletableFuture<Reply> each : replies) {
            assertThat(each.get(60, TimeUnit.SECONDS).length()).isEqualTo(LARGE.length);
        }
        closing.join();
        responder.closed().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotHandleFurtherRequestsWhileTheClientCloses() throws Exception {
        RbmqClient responding = client(SMALL_BUFFER + ", rbmq.publisher.drain-timeout = 1 hour");
        Responder responder = ready(responding.respond("t", (request, replier) -> repliers.add(replier)));
        RawRequester stuck = new RawRequester(running, "t");
        stuck.take(false);
        for (int i = 0; i < 10; i++) {
            publishRequest(stuck);
            assertThat(repliers.take().reply(LARGE)).isEqualTo(PublishResult.PUBLISHED);
        }
        Thread closing = new Thread(responding::close, "closing");
        closing.start();
        awaitWaiting(closing);
        RbmqClient requester = client("");
        CompletableFuture<Reply> late = requester.request("t", HELLO, LONG);
        await().until(() -> requester.publishedCount() == 1);
        requester.flush().get(60, TimeUnit.SECONDS); // by then, the broker has sent the request to the responder
        stuck.take(true);
        assertThat(late.handle((reply, failure) -> failure).get(60, TimeUnit.SECONDS))
                .isInstanceOf(NoRespondersException.class);
        closing.join();
        assertThat(responder.requestCount()).isEqualTo(10);
        await().until(() -> stuck.replies().size() == 10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSendTheReplyOfAHandlerThatIsRunningOnAnExecutorDuringClose(boolean closesClient) throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        RbmqClient responding = client("rbmq.publisher.drain-timeout = 1 hour");
        RequestHandler handler = (request, replier) -> {
            inHandler.countDown();
            awaitUnchecked(go);
            replier.reply(request.text());
        };
        Responder responder = ready(responding.respond("t", handler, onExecutor()));
        RbmqClient requester = client("");
        CompletableFuture<Reply> first = requester.request("t", HELLO, LONG);
        inHandler.await();
        CompletableFuture<Reply> inQueue = requester.request("t", HELLO, LONG);
        requester.flush().get(60, TimeUnit.SECONDS);
        Thread closing = new Thread(closesClient ? responding::close : responder::close, "closing");
        closing.start();
        if (closesClient) {
            awaitWaiting(closing);
        } else {
            closing.join();
            ready(responding.respond("later", handler)); // by then, the broker has handled the requests of close()
        }
        assertThat(running.broker().topics())
                .filteredOn(topic -> topic.name().equals("t"))
                .singleElement()
                .satisfies(topic -> assertThat(topic.subscribers()).hasSize(1));
        go.countDown();
        assertThat(first.get(60, TimeUnit.SECONDS).text()).isEqualTo("hello");
        assertThat(inQueue.handle((reply, failure) -> failure).get(60, TimeUnit.SECONDS))
                .isInstanceOf(NoRespondersException.class);
        closing.join();
        responder.closed().get(60, TimeUnit.SECONDS);
        assertThat(responder.requestCount()).isEqualTo(1);
    }

    @Test
    void shouldNotWaitForItselfWhenAHandlerOnAnExecutorClosesTheClient() throws Exception {
        RbmqClient responding = client("rbmq.publisher.drain-timeout = 1 hour");
        RequestHandler handler = (request, replier) -> {
            replier.reply(request.text());
            responding.close();
            events.add("closed");
        };
        Responder responder = ready(responding.respond("t", handler, onExecutor()));
        assertThat(client("")
                        .request("t", HELLO, LONG)
                        .get(60, TimeUnit.SECONDS)
                        .text())
                .isEqualTo("hello");
        responder.closed().get(60, TimeUnit.SECONDS);
        await().untilAsserted(() -> assertThat(events).containsExactly("closed"));
    }

    @Test
    void shouldReplyWithTheErrorOfAHandlerOnAnExecutor() throws Exception {
        RequestHandler handler = (request, replier) -> {
            throw new IllegalStateException("no " + request.text());
        };
        RbmqClient responding = running.opened(RbmqClient.connect(options("").withCallback(new ErrorEvents(events))));
        Responder responder = ready(responding.respond("t", handler, onExecutor()));
        RbmqClient requester = client("");
        assertThatThrownBy(() -> requester.request("t", HELLO, LONG).get(60, TimeUnit.SECONDS))
                .hasMessageContaining("the responder reported an error: no hello");
        await().until(() -> events.size() == 1);
        assertThat(responder.failedCount()).isEqualTo(1);
        assertThat(responder.invalidCount()).isZero();
        requester.publish("t", "not a request");
        await().until(() -> events.size() == 2);
        assertThat(responder.invalidCount()).isEqualTo(1);
        assertThat(responder.requestCount()).isEqualTo(1);
    }

    // Tests with hostile requesters.

    @Test
    void shouldReplyToOthersWhileARequesterTakesNothing() throws Exception {
        RbmqClient responding = client(SMALL_BUFFER + ", rbmq.client.reply-backlog = 100 KiB");
        ready(responding.respond("t", (request, replier) -> events.add(replier.reply(LARGE) + " " + request.length())));
        RawRequester stuck = new RawRequester(running, "t");
        stuck.take(false);
        RbmqClient requester = client("");
        int count = 0;
        while (!events.contains("NO_SPACE 0")) {
            count++;
            publishRequest(stuck);
            assertThat(requester
                            .request("t", HELLO, LONG)
                            .get(60, TimeUnit.SECONDS)
                            .length())
                    .isEqualTo(LARGE.length);
        }
        int all = 2 * count;
        await().until(() -> events.size() == all);
        assertThat(events).doesNotContain("NO_SPACE 5");
        stuck.take(true);
        long sent = events.stream().filter("PUBLISHED 0"::equals).count();
        await().until(() -> stuck.replies().size() == sent);
    }

    @Test
    void shouldNotLetAResponderReplyToOtherRequests() throws Exception {
        BlockingQueue<byte[]> ids = new LinkedBlockingQueue<>();
        BlockingQueue<String> inboxes = new LinkedBlockingQueue<>();
        ready(client("").respond("spied on", (request, replier) -> {
            ids.add(request.headers().getBytes("correlation"));
            inboxes.add(request.headers().get("reply-to"));
        }));
        ready(client("").respond("secret", (request, replier) -> repliers.add(replier)));
        RbmqClient requester = client("");
        requester.request("spied on", HELLO, LONG);
        CompletableFuture<Reply> secret = requester.request("secret", HELLO, LONG);
        Replier replier = repliers.take();
        long known = ByteBuffer.wrap(ids.take()).getLong();
        RawRequester hostile = new RawRequester(running, inboxes.take());
        for (int i = 1; i <= 20; i++) {
            hostile.publish("correlation", bytes(known + i));
            hostile.publish("correlation", bytes(known - i));
        }
        await().until(() -> requester.requestCounts().strayReplyCount() == 40);
        assertThat(secret).isNotDone();
        replier.reply("right");
        assertThat(secret.get(60, TimeUnit.SECONDS).text()).isEqualTo("right");
    }

    private static byte[] bytes(long id) {
        return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }

    // Tests of refusals.

    @Test
    void shouldReportOnceThatTheBrokerRefusesTheBufferOfReplies() throws Exception {
        RbmqClient responding = running.opened(RbmqClient.connect(
                options("rbmq.client.reply-capacity = 65 MiB").withCallback(new ErrorEvents(events))));
        ready(responding.respond("t", (request, replier) -> repliers.add(replier)));
        AtomicInteger dropped = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            RbmqClient requester = client("");
            requester.request("t", HELLO, LONG);
            requester.request("t", HELLO, LONG);
            // The refusal may arrive before the reply is in the buffer.
            PublishResult first = repliers.take().reply("x");
            assertThat(first).isIn(PublishResult.PUBLISHED, PublishResult.REFUSED);
            dropped.addAndGet(first == PublishResult.PUBLISHED ? 1 : 0);
            await().until(() -> responding.requestCounts().droppedReplyCount() == dropped.get());
            assertThat(repliers.take().reply("x")).isEqualTo(PublishResult.REFUSED);
        }
        await().until(() -> events.size() == 1);
        assertThat(events.get(0))
                .startsWith("$R/")
                .contains("exceeds rbmq.broker.max-capacity")
                .endsWith("replies are not sent: check rbmq.client.reply-capacity=68157440");
        // The worker reports errors in order, so a second report would have arrived before this one.
        RawClient invalid = new RawClient(running, Role.PUBLISHER);
        invalid.createBuffer(1, 1000);
        invalid.announce(1, 1000, "t");
        invalid.deliver(1, new byte[4]);
        await().until(() -> events.size() == 2);
        assertThat(events.get(1)).contains("is not a request");
    }

    @Test
    void shouldRefuseAReplyThatLooksLikeAnError() throws Exception {
        ready(client("").respond("t", (request, replier) -> {
            assertThatThrownBy(() -> replier.reply(new Headers().set("error", "0"), request.toBytes()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("header \"error\" marks error replies: use fail(), or another key");
            replier.reply("right");
        }));
        assertThat(client("")
                        .request("t", HELLO, LONG)
                        .get(60, TimeUnit.SECONDS)
                        .text())
                .isEqualTo("right");
    }

    // Utility methods.

    private static void publishRequest(RawRequester requester) {
        requester.publish("reply-to", requester.inbox(), "correlation", new byte[] {1});
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until a thread that is closing a client is waiting for the client's replies to be sent. */
    private static void awaitWaiting(Thread thread) {
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    private SubscriptionOptions onExecutor() {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        executors.add(executor);
        return SubscriptionOptions.DEFAULTS.withExecutor(executor);
    }

    private ClientOptions options(String settings) {
        return ClientOptions.from(RunningBroker.config(settings.replace(", ", "\n")))
                .withBrokers(HostPort.of(running.address()));
    }

    private RbmqClient client(String settings) {
        return running.opened(RbmqClient.connect(options(settings)));
    }

    private static Responder ready(Responder responder) throws Exception {
        responder.ready().get(60, TimeUnit.SECONDS);
        return responder;
    }
}
