package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestCounts;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.RequestException.Reason;
import io.rocketbufs.rbmq.client.RequestHandler;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.WhenUnheard;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of requests and replies through a broker. */
@Tag("once")
@Timeout(600)
final class RequestSystemTest extends RequestFixture {
    // Tests of replies.

    @Test
    void shouldReplyToTheRequestsOfATopicAndOfAFilter() throws Exception {
        RbmqClient responding = client("");
        ready(responding.respond("calc/add", (request, replier) -> replier.reply(request.text() + "+")));
        ready(responding.respond("text/+/length", (request, replier) -> {
            Headers headers = new Headers()
                    .set("unit", "bytes")
                    .set("topic", request.topic())
                    .set("of", request.headers().get("of"));
            replier.reply(headers, Integer.toString(request.length()).getBytes(UTF_8));
        }));
        assertThat(reply(requester.request("calc/add", HELLO, LONG)).text()).isEqualTo("hello+");
        Headers headers = new Headers().set("of", "x").set("reply-to", "elsewhere");
        Reply reply = reply(requester.request("text/utf/length", headers, HELLO, LONG));
        assertThat(reply.text()).isEqualTo("5");
        assertThat(reply.length()).isEqualTo(1);
        assertThat(reply.headers())
                .containsOnlyKeys("unit", "topic", "of")
                .containsEntry("unit", "bytes")
                .containsEntry("topic", "text/utf/length")
                .containsEntry("of", "x");
        assertThat(headers.size()).isEqualTo(2);
        assertThat(requester.requestCounts().requestCount()).isEqualTo(2);
        assertThat(requester.requestCounts().repliedCount()).isEqualTo(2);
        assertThat(requester.requestCounts().inFlightCount()).isZero();
        // A reply may arrive before it is counted as sent.
        await().until(() -> responding.requestCounts().sentReplyCount() == 2);
    }

    @Test
    void shouldCountARequestBeforeItsFutureCompletes() throws Exception {
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        ready(client("").respond("t", (request, replier) -> repliers.add(replier)));
        CompletableFuture<RequestCounts> afterReply = countsAfter(requester.request("t", HELLO, LONG));
        repliers.take().reply("1");
        assertThat(afterReply.get(60, TimeUnit.SECONDS).repliedCount()).isEqualTo(1);
        assertThat(afterReply.join().inFlightCount()).isZero();
        CompletableFuture<RequestCounts> afterError = countsAfter(requester.request("t", HELLO, LONG));
        repliers.take().fail("2");
        assertThat(afterError.get(60, TimeUnit.SECONDS).repliedCount()).isEqualTo(2);
        assertThat(afterError.join().inFlightCount()).isZero();
        subscribeSilently();
        CompletableFuture<RequestCounts> afterTimeout =
                countsAfter(requester.request(SILENT, HELLO, Duration.ofMillis(1)));
        assertThat(afterTimeout.get(60, TimeUnit.SECONDS).timeoutCount()).isEqualTo(1);
        assertThat(afterTimeout.join().inFlightCount()).isZero();
    }

    private CompletableFuture<RequestCounts> countsAfter(CompletableFuture<Reply> reply) {
        return reply.handle((done, failure) -> requester.requestCounts());
    }

    @Test
    void shouldReplyLaterAndOnAnotherThread() throws Exception {
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        ready(client("").respond("t", (request, replier) -> repliers.add(replier)));
        CompletableFuture<Reply> first = requester.request("t", HELLO, LONG);
        CompletableFuture<Reply> second = requester.request("t", HELLO, LONG);
        Replier ofFirst = repliers.take();
        Replier ofSecond = repliers.take();
        assertThat(ofFirst.remainingMs()).isBetween(LONG.toMillis() / 2, LONG.toMillis() + 1);
        assertThat(ofSecond.reply("2")).isEqualTo(PublishResult.PUBLISHED);
        assertThat(reply(second).text()).isEqualTo("2");
        assertThat(first).isNotDone();
        assertThat(ofFirst.reply("1")).isEqualTo(PublishResult.PUBLISHED);
        assertThat(reply(first).text()).isEqualTo("1");
        assertThatThrownBy(() -> ofFirst.reply("again"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this request has already been replied to");
    }

    @Test
    void shouldTakeTheFirstReplyOfSeveralResponders() throws Exception {
        RbmqClient one = client("");
        RbmqClient other = client("");
        ready(one.respond("t", (request, replier) -> replier.reply("one")));
        ready(other.respond("#", (request, replier) -> replier.reply("one")));
        assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("one");
        await().until(() -> requester.requestCounts().strayReplyCount() == 1);
        assertThat(requester.requestCounts().repliedCount()).isEqualTo(1);
    }

    @Test
    void shouldRequestInAHandler() throws Exception {
        RbmqClient middle = client("");
        ready(client("").respond("inner", (request, replier) -> replier.reply(request.text() + "!")));
        ready(middle.respond(
                "outer",
                (request, replier) -> middle.request("inner", request.toBytes(), LONG)
                        .whenComplete((reply, failure) ->
                                replier.reply(failure == null ? reply.text() : failure.toString()))));
        assertThat(reply(requester.request("outer", HELLO, LONG)).text()).isEqualTo("hello!");
    }

    @Test
    void shouldSendRepliesThatExceedTheBufferWhenThereIsSpace() throws Exception {
        RbmqClient responding = client("rbmq.client.reply-capacity = 4096");
        int count = 500;
        // All requests are handled on the worker that has to send the replies.
        CountDownLatch all = new CountDownLatch(1);
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        ready(responding.respond("t", (request, replier) -> {
            repliers.add(replier);
            if (repliers.size() == count) {
                int number = 0;
                for (Replier each : repliers) {
                    events.add(each.reply(number++ + "x".repeat(1000)).name());
                }
                all.countDown();
            }
        }));
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            replies.add(requester.request("t", HELLO, LONG));
        }
        all.await();
        for (int i = 0; i < count; i++) {
            assertThat(reply(replies.get(i)).text()).isEqualTo(i + "x".repeat(1000));
        }
        assertThat(events).hasSize(count).containsOnly("PUBLISHED");
    }

    @Test
    void shouldRefuseRepliesWhenTooManyWait() throws Exception {
        RbmqClient responding = client("rbmq.client.reply-capacity = 4096, rbmq.client.reply-backlog = 10000");
        CompletableFuture<List<PublishResult>> results = new CompletableFuture<>();
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        ready(responding.respond("t", (request, replier) -> {
            repliers.add(replier);
            if (repliers.size() == 100) {
                results.complete(repliers.stream()
                        .map(each -> each.reply(new byte[1000]))
                        .toList());
            }
        }));
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            replies.add(requester.request("t", HELLO, LONG));
        }
        List<PublishResult> first = results.get(60, TimeUnit.SECONDS);
        assertThat(first).contains(PublishResult.PUBLISHED, PublishResult.NO_SPACE);
        assertThat(responding.requestCounts().refusedReplyCount())
                .isEqualTo(first.stream()
                        .filter(result -> result == PublishResult.NO_SPACE)
                        .count());
        List<Replier> all = List.copyOf(repliers);
        for (int i = 0; i < 100; i++) {
            if (first.get(i) == PublishResult.NO_SPACE) {
                Replier again = all.get(i);
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> again.reply(new byte[1000]) == PublishResult.PUBLISHED);
            }
        }
        for (CompletableFuture<Reply> each : replies) {
            assertThat(reply(each).length()).isEqualTo(1000);
        }
    }

    // Tests of errors.

    @Test
    void shouldReceiveTheErrorOfAHandlerThatThrows() throws Exception {
        RbmqClient responding = running.opened(RbmqClient.connect(options("").withCallback(new ErrorEvents(events))));
        Responder responder = ready(responding.respond("t", (request, replier) -> {
            throw new IllegalStateException("no such currency");
        }));
        RequestException failure = failure(requester.request("t", HELLO, LONG));
        assertThat(failure.reason()).isEqualTo(Reason.FAILED);
        assertThat(failure).hasMessage("request to topic \"t\": the responder reported an error: no such currency");
        await().until(() -> events.size() == 1);
        assertThat(events).containsExactly("t: no such currency");
        assertThat(responder.failedCount()).isEqualTo(1);
        assertThat(responder.requestCount()).isEqualTo(1);
        assertThat(responder.invalidCount()).isZero();
    }

    @Test
    void shouldReceiveTheReplyOfAHandlerThatThrowsAfterIt() throws Exception {
        Responder responder = ready(client("").respond("t", (request, replier) -> {
            replier.reply("done");
            throw new IllegalStateException("too late");
        }));
        assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("done");
        await().until(() -> responder.failedCount() == 1);
    }

    @Test
    void shouldReceiveAnErrorWithOnlyTheBeginningOfALongDescription() throws Exception {
        RbmqClient responding = client("rbmq.client.reply-capacity = 4096");
        ready(responding.respond("t", (request, replier) -> replier.fail("\u20ac".repeat(100_000))));
        assertThat(failure(requester.request("t", HELLO, LONG)))
                .hasMessageEndingWith("reported an error: " + "\u20ac".repeat(1000));
    }

    @Test
    void shouldReportAReplyThatIsTooLongOnBothSides() throws Exception {
        RbmqClient responding = running.opened(RbmqClient.connect(options("").withCallback(new ErrorEvents(events))));
        ready(responding.respond("t", (request, replier) -> replier.reply(new byte[100_000])));
        RequestException failure = failure(requester.request("t", HELLO, LONG));
        String problem = "a reply of 100013 bytes, including headers, is longer than the 65532 bytes that the"
                + " responder's rbmq.client.reply-capacity allows";
        assertThat(failure.reason()).isEqualTo(Reason.FAILED);
        assertThat(failure).hasMessageEndingWith(problem);
        await().until(() -> events.size() == 1);
        assertThat(events).containsExactly("t: " + problem);
    }

    @Test
    void shouldReplyWithTheLongestReplyThatFits() throws Exception {
        RbmqClient responding = client("rbmq.client.reply-capacity = 10000");
        ready(responding.respond("t", (request, replier) -> replier.reply(new byte[9996 - 13])));
        assertThat(reply(requester.request("t", HELLO, LONG)).length()).isEqualTo(9996 - 13);
    }

    @Test
    void shouldRefuseWrongArguments() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> requester.request("t", HELLO, Duration.ZERO))
                .withMessage("timeout=PT0S is not positive");
        assertThatIllegalArgumentException().isThrownBy(() -> requester.request("t/+", HELLO, LONG));
        assertThatIllegalArgumentException().isThrownBy(() -> requester.request("t", new byte[1 << 20], LONG));
        assertThat(requester.requestCounts().inFlightCount()).isZero();
        assertThat(requester.requestCounts().requestCount()).isZero();
    }

    @Test
    void shouldRefuseRequestsWithoutFlowControl() {
        RbmqClient unreliable = client("rbmq.publisher.flow-control = off");
        assertThatThrownBy(() -> unreliable.request("t", HELLO, LONG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("rbmq.publisher.flow-control=off: ");
    }

    @ParameterizedTest
    @EnumSource(WhenUnheard.class)
    void shouldFailAtOnceWhenTheBufferIsFull(WhenUnheard whenUnheard) throws Exception {
        PublisherCallback callback = new PublisherCallback() {
            @Override
            public void onBackPressure(String topic, boolean on) {
                events.add(topic + " " + on);
            }
        };
        RbmqClient small = running.opened(RbmqClient.connect(options("rbmq.publisher.capacity = 1000")
                .withWhenUnheard(whenUnheard)
                .withPublisherCallback(callback)));
        failure(small.request("other", HELLO, LONG)); // after this call, the client has an inbox
        RbmqClient paused = client("rbmq.subscriber.capacity = 1000");
        Subscription subscription = paused.subscribe("t", message -> {});
        subscription.pause();
        subscription.ready().get(60, TimeUnit.SECONDS);
        RequestException refused = null;
        List<CompletableFuture<Reply>> sent = new ArrayList<>();
        while (refused == null) {
            CompletableFuture<Reply> reply = small.request("t", new byte[300], LONG);
            if (reply.isCompletedExceptionally()) {
                refused = failure(reply);
            } else {
                sent.add(reply);
            }
        }
        assertThat(refused.reason()).isEqualTo(Reason.NO_SPACE);
        assertThat(refused).hasMessageContaining("the buffer for the topic is full");
        assertThat(sent).isNotEmpty();
        await().until(() -> !events.isEmpty());
        assertThat(events).startsWith("t true");
        subscription.resume();
        await().until(() -> events.get(events.size() - 1).equals("t false"));
    }

    @Test
    void shouldLimitTheRequestsThatWaitForTheInbox() throws Exception {
        RocketBufs silent = running.another();
        InetSocketAddress broker = SilentBroker.start(silent);
        ClientOptions options = options("rbmq.publisher.capacity = 1000").withBrokers(HostPort.of(broker));
        RbmqClient waiting = RbmqClient.connect(options);
        CompletableFuture<Reply> first = waiting.request("t", new byte[800], LONG);
        RequestException refused = failure(waiting.request("t", new byte[800], LONG));
        assertThat(refused.reason()).isEqualTo(Reason.NO_SPACE);
        assertThat(refused).hasMessageContaining("too many requests wait for the client's inbox");
        assertThat(first).isNotDone();
        silent.close();
        assertThat(failure(first).reason()).isEqualTo(Reason.NOT_CONNECTED);
        waiting.close();
    }

    @Test
    void shouldFailWithTheBrokersReasonWhenItRefusesTheTopic() {
        RbmqClient large = client("rbmq.publisher.capacity = 1 GiB");
        RequestException failure = failure(large.request("t", HELLO, LONG));
        assertThat(failure.reason()).isEqualTo(Reason.REFUSED);
        assertThat(failure).hasMessageContaining("rbmq.broker.max-capacity");
        assertThat(failure(large.request("t", HELLO, LONG)).reason()).isEqualTo(Reason.REFUSED);
    }

    // Tests of buffers.

    @Test
    void shouldRemoveTheBufferOfRepliesWhenItIsIdleAndCreateItAgain() throws Exception {
        RbmqClient responding = client("rbmq.client.reply-idle-timeout = 20 ms");
        ready(responding.respond("t", (request, replier) -> replier.reply(request.toBytes())));
        for (int i = 0; i < 3; i++) {
            assertThat(reply(requester.request("t", HELLO, LONG)).text()).isEqualTo("hello");
            await().until(() ->
                    inboxes().stream().allMatch(topic -> topic.publishers().isEmpty()));
        }
        assertThat(responding.publishedCount()).isEqualTo(3);
        assertThat(responding.unconfirmedCount()).isZero();
    }

    @Test
    void shouldNotShowInboxesToCallbacks() throws Exception {
        RbmqClient responding = running.opened(RbmqClient.connect(
                options("rbmq.client.reply-idle-timeout = 20 ms").withPublisherCallback(new PublisherCallback() {
                    @Override
                    public void onInterest(String topic, boolean hasSubscribers) {
                        events.add(topic);
                    }
                })));
        RbmqClient client = running.opened(RbmqClient.connect(options("").withCallback(new SubscriberCallback() {
            @Override
            public void onPublisherEnd(String topic, int publisher, String failure) {
                events.add(topic);
            }
        })));
        ready(responding.respond("t", (request, replier) -> replier.reply("1")));
        reply(client.request("t", HELLO, LONG));
        await().until(() ->
                inboxes().stream().allMatch(topic -> topic.publishers().isEmpty()));
        reply(client.request("t", HELLO, LONG)); // the reply arrives after the end of the first buffer
        assertThat(events).isEmpty();
    }

    @Test
    void shouldUseSmallBuffersForReplies() throws Exception {
        ready(client("").respond("t", (request, replier) -> replier.reply(request.toBytes())));
        reply(requester.request("t", HELLO, LONG));
        assertThat(inboxes()).singleElement().satisfies(inbox -> {
            assertThat(inbox.subscribers()).hasSize(1);
            assertThat(inbox.publishers())
                    .singleElement()
                    .satisfies(buffer -> assertThat(buffer.capacity()).isEqualTo(64 * 1024));
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDropAndCountRepliesToARequesterThatHasLeft(boolean hasReply) throws Exception {
        BlockingQueue<Replier> repliers = new LinkedBlockingQueue<>();
        RbmqClient responding = client("");
        RequestHandler handler = (request, replier) -> {
            if (request.length() == 0) {
                replier.reply("");
            } else {
                repliers.add(replier);
            }
        };
        ready(responding.respond("t", handler));
        RbmqClient leaving = client("");
        if (hasReply) {
            reply(leaving.request("t", new byte[0], LONG)); // makes the responder create a buffer for this client
        }
        CompletableFuture<Reply> reply = leaving.request("t", HELLO, LONG);
        Replier late = repliers.take();
        leaving.close();
        assertThat(failure(reply).reason()).isEqualTo(Reason.CLOSED);
        await().until(() ->
                inboxes().stream().noneMatch(topic -> topic.publishers().size() > 0));
        assertThat(late.reply("too late")).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> responding.requestCounts().droppedReplyCount() == 1);
        await().until(() -> inboxes().isEmpty());
    }
}
