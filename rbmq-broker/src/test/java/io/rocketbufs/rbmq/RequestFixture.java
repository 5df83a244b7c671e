package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestException;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.text.HostPort;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/**
 * A fixture with a broker, a client that sends requests, and a record of events. The timeout {@link #LONG} never
 * expires during a test.
 */
abstract class RequestFixture {
    static final Duration LONG = Duration.ofHours(1);
    static final String SILENT = "silent";
    static final byte[] HELLO = "hello".getBytes(UTF_8);

    final RunningBroker running = new RunningBroker("rocketbufs.close-timeout = 500 ms");
    final List<String> events = new CopyOnWriteArrayList<>();
    final RbmqClient requester = client("");

    @AfterEach
    final void close() {
        running.close();
    }

    final List<TopicState> inboxes() {
        return running.broker().topics().stream()
                .filter(topic -> topic.name().startsWith("$R/"))
                .toList();
    }

    final ClientOptions options(String settings) {
        return ClientOptions.from(RunningBroker.config(settings.replace(", ", "\n")))
                .withBrokers(HostPort.of(running.address()));
    }

    final RbmqClient client(String settings) {
        return running.opened(RbmqClient.connect(options(settings)));
    }

    static Responder ready(Responder responder) throws Exception {
        responder.ready().get(60, TimeUnit.SECONDS);
        return responder;
    }

    static Reply reply(CompletableFuture<Reply> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    static RequestException failure(CompletableFuture<Reply> future) {
        try {
            throw new AssertionError(
                    "has a reply: " + future.get(60, TimeUnit.SECONDS).text());
        } catch (ExecutionException | CompletionException e) {
            return (RequestException) e.getCause();
        } catch (Exception e) {
            throw new AssertionError("no failure", e);
        }
    }

    /**
     * Subscribes to {@link #SILENT} without responding. A responder could report that a request has expired before the
     * requester's timer does.
     */
    final void subscribeSilently() throws Exception {
        client("").subscribe(SILENT, message -> {}).ready().get(60, TimeUnit.SECONDS);
    }
}
