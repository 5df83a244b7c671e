package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.NoRespondersException;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Replier;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.Responder;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of many concurrent requests from several requesters to several responders, over every pair of transports. */
@Timeout(600)
final class RequestLoadSystemTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final int IN_FLIGHT = 300;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
    private RunningBroker running;
    private ClientOptions options;

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private void start(TransportPair pair) {
        running = new RunningBroker(pair);
        opened.add(running);
        List<InetSocketAddress> addresses = running.broker().addresses();
        // The addresses of the two transports differ, so they are taken from the configuration, which lists both.
        String listeners = pair.isMixed()
                ? pair.listeners(port(addresses.get(0)), port(addresses.get(1)))
                : "rbmq.port = " + port(addresses.get(0));
        options = ClientOptions.from(RunningBroker.config(
                Stream.concat(pair.settings().stream(), Stream.of(listeners)).toArray(String[]::new)));
    }

    private static String port(InetSocketAddress address) {
        return Integer.toString(address.getPort());
    }

    private RbmqClient client() {
        RbmqClient client = RbmqClient.connect(options.withRocketBufs(running.clients()));
        opened.add(client);
        return client;
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rbmq.TransportPair#all")
    void shouldGiveEachRequestItsOwnReply(TransportPair pair) throws Exception {
        start(pair);
        int count = 5_000;
        BlockingQueue<Runnable> later = new LinkedBlockingQueue<>();
        for (int i = 0; i < 3; i++) {
            ready(client().respond("at once/" + i, (request, replier) -> {
                replier.reply(request.topic() + " " + request.text());
            }));
            ready(client().respond("later/" + i, (request, replier) -> {
                String reply = request.topic() + " " + request.text();
                later.add(() -> replier.reply(reply));
            }));
        }
        Thread replying = new Thread(() -> runAll(later), "replying");
        replying.start();
        List<Thread> requesters = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            RbmqClient client = client();
            for (int j = 0; j < 2; j++) {
                String name = "requester " + i + "." + j;
                requesters.add(new Thread(() -> requestAll(client, name, count), name));
            }
        }
        requesters.forEach(Thread::start);
        for (Thread each : requesters) {
            each.join();
        }
        replying.interrupt();
        replying.join();
        assertThat(problems).isEmpty();
    }

    private static void runAll(BlockingQueue<Runnable> tasks) {
        try {
            while (true) {
                tasks.take().run();
            }
        } catch (InterruptedException e) {
            // The test has ended.
        }
    }

    /** Sends requests with a limited number in flight, and waits for all of them. */
    private void requestAll(RbmqClient client, String name, int count) {
        Semaphore permits = new Semaphore(IN_FLIGHT);
        for (int i = 0; i < count; i++) {
            permits.acquireUninterruptibly();
            String topic = (i % 2 == 0 ? "at once/" : "later/") + i % 3;
            String text = name + " number " + i;
            client.request(topic, text.getBytes(UTF_8), LONG).whenComplete((reply, failure) -> {
                if (failure != null) {
                    problems.add(text + ": " + failure);
                } else if (!reply.text().equals(topic + " " + text)) {
                    problems.add(text + ": received \"" + reply.text() + "\"");
                }
                permits.release();
            });
        }
        permits.acquireUninterruptibly(IN_FLIGHT);
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rbmq.TransportPair#all")
    void shouldMixUpNoRepliesWhenOneOfTwoRespondersIsKilled(TransportPair pair) throws Exception {
        start(pair);
        RocketBufs killed = openAnother();
        ready(client().respond("t", (request, replier) -> replier.reply(request.toBytes())));
        AtomicInteger handled = new AtomicInteger();
        CountDownLatch inTheMiddle = new CountDownLatch(100);
        ready(RbmqClient.connect(options.withRocketBufs(killed)).respond("t", (request, replier) -> {
            handled.incrementAndGet();
            inTheMiddle.countDown();
            replier.reply(request.toBytes());
        }));
        Thread kill = new Thread(() -> killAfter(inTheMiddle, killed), "kill");
        kill.start();
        RbmqClient client = client();
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        Semaphore permits = new Semaphore(IN_FLIGHT);
        for (int i = 0; i < 2_000 || kill.isAlive(); i++) {
            permits.acquire();
            CompletableFuture<Reply> reply =
                    client.request("t", Integer.toString(i).getBytes(UTF_8), LONG);
            reply.whenComplete((done, failure) -> permits.release());
            replies.add(reply);
        }
        kill.join();
        replies.add(client.request("t", Integer.toString(replies.size()).getBytes(UTF_8), LONG));
        for (int i = 0; i < replies.size(); i++) {
            assertThat(replies.get(i).get(60, TimeUnit.SECONDS).text()).isEqualTo(Integer.toString(i));
        }
        assertThat(handled).hasValueLessThan(replies.size());
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rbmq.TransportPair#all")
    void shouldFailAllRequestsWithoutAReplyWhenTheOnlyResponderIsKilled(TransportPair pair) throws Exception {
        start(pair);
        RocketBufs killed = openAnother();
        CountDownLatch inTheMiddle = new CountDownLatch(100);
        BlockingQueue<Replier> unanswered = new LinkedBlockingQueue<>();
        ready(RbmqClient.connect(options.withRocketBufs(killed)).respond("t", (request, replier) -> {
            inTheMiddle.countDown();
            if (request.getByte(request.length() - 1) % 2 == 0) {
                replier.reply(request.toBytes());
            } else {
                unanswered.add(replier);
            }
        }));
        Thread kill = new Thread(() -> killAfter(inTheMiddle, killed), "kill");
        kill.start();
        RbmqClient client = client();
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 300 || kill.isAlive() && i < 3_000; i++) {
            replies.add(client.request("t", Integer.toString(i).getBytes(UTF_8), LONG));
        }
        int answered = 0;
        for (int i = 0; i < replies.size(); i++) {
            CompletableFuture<Reply> reply = replies.get(i);
            String text = reply.handle((done, failure) -> failure == null ? done.text() : reason(failure))
                    .get(60, TimeUnit.SECONDS);
            if (!text.equals("no responder")) {
                assertThat(text).isEqualTo(Integer.toString(i));
                answered++;
            }
        }
        kill.join();
        assertThat(unanswered).isNotEmpty();
        assertThat(answered).isLessThan(replies.size());
        await().until(() -> client.requestCounts().inFlightCount() == 0);
    }

    private static String reason(Throwable failure) {
        return failure instanceof NoRespondersException
                ? "no responder"
                : ((RequestException) failure).reason() + ": " + failure.getMessage();
    }

    private RocketBufs openAnother() {
        RocketBufs another =
                options.publisher().transport().equals(options.subscriber().transport())
                                && options.publisher().transport().equals("tcp")
                        ? running.another()
                        : RocketBufs.open(RunningBroker.config("rocketbufs.rdma.provider=tcp"));
        opened.add(another);
        return another;
    }

    private static void killAfter(CountDownLatch latch, RocketBufs killed) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            return;
        }
        killed.close(); // ends the connections abruptly, like the end of the process
    }

    private static void ready(Responder responder) throws Exception {
        responder.ready().get(60, TimeUnit.SECONDS);
    }
}
