package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.NoRespondersException;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.RequestException.Reason;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.rbmq.client.WhenUnheard;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of requests that fail, and of hostile peers. */
@Tag("once")
@Timeout(600)
final class RequestFailureSystemTest extends RequestFixture {
    // Tests without a responder.

    @Test
    void shouldFailWithoutATimeOutWhenThereIsNoResponder() {
        assertThat(failure(requester.request("t", HELLO, LONG)))
                .isInstanceOf(NoRespondersException.class)
                .hasMessageContaining("request to topic \"t\": there is no responder");
        assertThat(failure(requester.request("t", HELLO, LONG))).isInstanceOf(NoRespondersException.class);
        assertThat(requester.requestCounts().inFlightCount()).isZero();
    }

    @Test
    void shouldFailWithinMillisecondsWhenThereIsNoResponder() {
        int count = 200;
        long[] durationsNs = new long[count];
        for (int i = 0; i < count; i++) {
            long beginNs = System.nanoTime();
            assertThat(failure(requester.request("t", HELLO, LONG))).isInstanceOf(NoRespondersException.class);
            durationsNs[i] = System.nanoTime() - beginNs;
        }
        Arrays.sort(durationsNs);
        System.out.printf(
                "a request without a responder fails in %.2f ms (shortest), %.2f ms (median)%n",
                durationsNs[0] / 1e6, durationsNs[count / 2] / 1e6);
        // Other programs may be using the processors, so the shortest duration counts.
        assertThat(durationsNs[0]).isLessThan(TimeUnit.MILLISECONDS.toNanos(5));
    }

    @Test
    void shouldFailWithoutATimeOutWhenMessagesToNobodyAreDropped() {
        RbmqClient dropping = running.opened(RbmqClient.connect(options("").withWhenUnheard(WhenUnheard.DROP)));
        assertThat(failure(dropping.request("t", HELLO, LONG))).isInstanceOf(NoRespondersException.class);
        assertThat(failure(dropping.request("t", HELLO, LONG))).isInstanceOf(NoRespondersException.class);
    }

    @ParameterizedTest
    @EnumSource(WhenUnheard.class)
    void shouldReachAResponderThatHasJustComeAlthoughThereWasNone(WhenUnheard whenUnheard) throws Exception {
        RbmqClient responding = client("");
        RbmqClient requesting = running.opened(RbmqClient.connect(options("").withWhenUnheard(whenUnheard)));
        for (int i = 0; i < 100; i++) {
            assertThat(failure(requesting.request("t", HELLO, LONG))).isInstanceOf(NoRespondersException.class);
            Responder responder = ready(responding.respond("t", (request, replier) -> replier.reply("here")));
            assertThat(reply(requesting.request("t", HELLO, LONG)).text()).isEqualTo("here");
            responder.close();
            responder.closed().get(60, TimeUnit.SECONDS);
            // At this point, the report that the responder has left may still be in transit.
        }
        assertThat(requesting.unheardCount()).isZero();
    }

    @Test
    void shouldFailWhenTheLastResponderLeavesWithoutAReply() throws Exception {
        CountDownLatch taken = new CountDownLatch(2);
        Responder one = ready(client("").respond("t", (request, replier) -> taken.countDown()));
        RocketBufs others = running.another();
        RbmqClient other = RbmqClient.connect(options("").withRocketBufs(others));
        ready(other.respond("#", (request, replier) -> taken.countDown()));
        CompletableFuture<Reply> reply = requester.request("t", HELLO, LONG);
        taken.await();
        one.close();
        one.closed().get(60, TimeUnit.SECONDS);
        requester.flush().get(60, TimeUnit.SECONDS);
        assertThat(reply).isNotDone();
        others.close(); // ends the connections abruptly, like the end of the process
        assertThat(failure(reply)).isInstanceOf(NoRespondersException.class);
    }

    @Test
    void shouldReceiveTheRepliesOfAResponderThatClosesRightAfterThem() throws Exception {
        RbmqClient responding = client("");
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Responder> own = new CompletableFuture<>();
            Responder responder = ready(responding.respond("t" + i, (request, replier) -> {
                replier.reply("last");
                own.join().close();
            }));
            own.complete(responder);
            assertThat(reply(requester.request("t" + i, HELLO, LONG)).text()).isEqualTo("last");
            responder.closed().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldSendTheRepliesOfAClientThatCloses() throws Exception {
        RbmqClient responding = client("rbmq.client.reply-capacity = 4096");
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        ready(responding.respond("t", (request, replier) -> repliers.add(replier)));
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            replies.add(requester.request("t", HELLO, LONG));
        }
        for (int i = 0; i < 50; i++) {
            assertThat(repliers.take().reply(new byte[2000])).isEqualTo(PublishResult.PUBLISHED);
        }
        responding.close();
        for (CompletableFuture<Reply> each : replies) {
            assertThat(reply(each).length()).isEqualTo(2000);
        }
    }

    // Tests of timeouts.

    @Test
    void shouldFailWhenTheTimeOutExpires() throws Exception {
        subscribeSilently();
        RequestException failure = failure(requester.request(SILENT, HELLO, Duration.ofMillis(50)));
        assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT);
        assertThat(failure).hasMessage("request to topic \"" + SILENT + "\": no reply within 50 ms");
        assertThat(requester.requestCounts().timeoutCount()).isEqualTo(1);
        assertThat(requester.requestCounts().inFlightCount()).isZero();
    }

    @Test
    void shouldIgnoreTheReplyToARequestThatWasCancelled() throws Exception {
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        ready(client("").respond("t", (request, each) -> repliers.add(each)));
        CompletableFuture<Reply> cancelled = requester.request("t", HELLO, LONG);
        Replier replier = repliers.take();
        cancelled.cancel(false);
        assertThat(requester.requestCounts().inFlightCount()).isZero();
        replier.reply("too late");
        await().until(() -> requester.requestCounts().strayReplyCount() == 1);
        assertThat(requester.requestCounts().repliedCount()).isZero();
    }

    @Test
    void shouldReportATimeOutOnAWorkerThatMayCloseTheClient() throws Exception {
        ready(client("").respond("t", (request, replier) -> events.add("taken")));
        RbmqClient closing = client("");
        Thread test = Thread.currentThread();
        CompletableFuture<Boolean> isWorker = new CompletableFuture<>();
        while (!isWorker.isDone()) {
            CompletableFuture<Void> reported = new CompletableFuture<>();
            closing.request("t", HELLO, Duration.ofMillis(50)).whenComplete((reply, failure) -> {
                if (Thread.currentThread() != test) { // on the test's thread, the request had already expired
                    isWorker.complete(closing.rocketBufs().isWorkerThread());
                    closing.close();
                }
                reported.complete(null);
            });
            reported.get(60, TimeUnit.SECONDS);
        }
        assertThat(isWorker).isCompletedWithValue(true);
        closing.closed().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotHandleARequestThatHasExpired() throws Exception {
        Responder responder = ready(client("").respond("t", (request, replier) -> replier.reply("handled")));
        RawRequester raw = new RawRequester(running, "t");
        raw.publish(
                "reply-to",
                raw.inbox(),
                "correlation",
                new byte[] {1, 2, 3},
                "expires",
                Long.toString(System.currentTimeMillis() - 5000));
        String reply = raw.replies().take();
        assertThat(reply).matches("correlation=\\[1, 2, 3] error=the request expired \\d+ ms ago by.*");
        assertThat(responder.expiredCount()).isEqualTo(1);
        assertThat(responder.requestCount()).isZero();
    }

    // Tests of the end of a client or of its connection.

    @Test
    void shouldFailRequestsInFlightWhenTheClientCloses() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        ready(client("").respond("t", (request, replier) -> taken.countDown()));
        RbmqClient closing = client("");
        CompletableFuture<Reply> reply = closing.request("t", HELLO, LONG);
        taken.await();
        closing.close();
        assertThat(failure(reply).reason()).isEqualTo(Reason.CLOSED);
        assertThat(reply).isCompletedExceptionally();
        assertThatThrownBy(() -> closing.request("t", HELLO, LONG).get(60, TimeUnit.SECONDS))
                .hasMessageContaining("closed");
    }

    @Test
    void shouldFailRequestsInFlightWhenTheConnectionIsLost() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        ready(client("").respond("t", (request, replier) -> taken.countDown()));
        CompletableFuture<Reply> reply = requester.request("t", HELLO, LONG);
        taken.await();
        running.loseBroker();
        RequestException failure = failure(reply);
        assertThat(failure.reason()).isEqualTo(Reason.NOT_CONNECTED);
        assertThat(failure).hasMessageContaining("the connection to the broker was lost");
        assertThat(failure(requester.request("t", HELLO, LONG)).reason()).isEqualTo(Reason.NOT_CONNECTED);
    }

    // Tests with hostile peers.

    @Test
    void shouldIgnoreAndCountRepliesThatBelongToNoRequest() throws Exception {
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        BlockingQueue<byte[]> ids = new LinkedBlockingQueue<>();
        BlockingQueue<String> inboxes = new LinkedBlockingQueue<>();
        ready(client("").respond("t", (request, replier) -> {
            ids.add(request.headers().getBytes("correlation"));
            inboxes.add(request.headers().get("reply-to"));
            repliers.add(replier);
        }));
        CompletableFuture<Reply> reply = requester.request("t", HELLO, LONG);
        byte[] id = ids.take();
        RawRequester hostile = new RawRequester(running, inboxes.take());
        byte[] unknown = id.clone();
        unknown[7] += 1;
        hostile.publish();
        hostile.publish("k", "v");
        hostile.publish("correlation", unknown);
        hostile.publish("correlation", new byte[0]);
        hostile.publish("correlation", new byte[9]);
        hostile.publish("correlation", new byte[8], "error", "x");
        await().until(() -> requester.requestCounts().strayReplyCount() == 6);
        assertThat(reply).isNotDone();
        repliers.take().reply("right");
        assertThat(reply(reply).text()).isEqualTo("right");
        hostile.publish("correlation", id);
        await().until(() -> requester.requestCounts().strayReplyCount() == 7);
        assertThat(requester.requestCounts().repliedCount()).isEqualTo(1);
    }

    @Test
    void shouldReportMessagesThatAreNotRequests() throws Exception {
        RbmqClient responding = running.opened(RbmqClient.connect(options("").withCallback(new ErrorEvents(events))));
        Responder responder = ready(responding.respond("t", (request, replier) -> replier.reply("handled")));
        RawRequester hostile = new RawRequester(running, "t");
        byte[] id = ByteBuffer.allocate(8).array();
        hostile.publish();
        hostile.publish("reply-to", hostile.inbox());
        hostile.publish("correlation", id);
        hostile.publish("correlation", id, "reply-to", "prices");
        hostile.publish("correlation", id, "reply-to", "$R/x");
        hostile.publish("correlation", new byte[0], "reply-to", hostile.inbox());
        hostile.publish("correlation", new byte[256], "reply-to", hostile.inbox());
        await().until(() -> events.size() == 7);
        assertThat(events).allMatch(event -> event.startsWith("t: a message to topic \"t\" is not a request"));
        assertThat(responder.invalidCount()).isEqualTo(7);
        assertThat(responder.requestCount()).isZero();
        hostile.publish("correlation", id, "reply-to", hostile.inbox());
        assertThat(hostile.replies().take()).isEqualTo("correlation=" + List.of(0, 0, 0, 0, 0, 0, 0, 0));
    }
}
