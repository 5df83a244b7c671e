package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestHandler;
import io.rocketbufs.text.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of requests that {@code respond} cannot or must not pass to its command. */
@Tag("once")
@Timeout(600)
final class RespondRunTest {
    private static final Duration LONG = Duration.ofHours(1);

    private final RunningBroker running = new RunningBroker();
    private final RbmqClient client = running.opened(RbmqClient.connect(HostPort.of(running.address())));
    private final RecordedStreams recorded = new RecordedStreams("rbmq");
    private final Streams streams = recorded.withoutInput();

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldNotStartTheCommandForARequestThatHasExpired(@TempDir Path folder) {
        Path file = folder.resolve("started");
        ShellCommand touch = new ShellCommand("touch " + file, 1000);
        ShellCommand.Input expired = new ShellCommand.Input(Map.of(), new byte[0], System.nanoTime() - 1);
        assertThatThrownBy(() -> touch.run(expired))
                .isInstanceOf(ShellCommand.Failure.class)
                .hasMessage("the request expired while it waited for other commands to end");
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldReplyAndGoOnAfterAnUnexpectedException() throws Exception {
        RespondRun run = new RespondRun(streams, new ShellCommand(null, 1000), 1, 2, 1000);
        client.respond("t", run).ready().get(60, TimeUnit.SECONDS);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> request(10).get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("the responder reported an error: ");
        }
        run.await(); // ends because both requests count as handled
    }

    @Test
    void shouldLimitTheMemoryForRequests(@TempDir Path folder) throws Exception {
        Path go = folder.resolve("go");
        ShellCommand waiting = new ShellCommand("until [ -e " + go + " ]; do sleep 0.1; done; wc -c", 1000);
        RespondRun run = new RespondRun(streams, waiting, 1, Long.MAX_VALUE, 100);
        client.respond("t", run).ready().get(60, TimeUnit.SECONDS);
        CompletableFuture<Reply> tooLongButAlone = request(101);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> request(1).get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("the responder is busy: the waiting requests would exceed 100 bytes");
        }
        Files.createFile(go);
        assertThat(tooLongButAlone.get(60, TimeUnit.SECONDS).text().strip()).isEqualTo("101");
        // The memory is released after the reply, so the next request may arrive before the release.
        await().until(() ->
                request(20).handle((reply, failure) -> failure == null).get(60, TimeUnit.SECONDS));
        assertThat(recorded.err()).contains("is busy");
    }

    @Test
    void shouldGoOnAfterAnErrorBeforeTheCommand() throws Exception {
        RespondRun run = new RespondRun(streams, new ShellCommand("wc -c", 1000), 1, 2, 100);
        // Without a replier, the request cannot be read.
        RequestHandler broken = (request, replier) -> run.onRequest(request, request.length() == 60 ? null : replier);
        client.respond("t", broken).ready().get(60, TimeUnit.SECONDS);
        assertThatThrownBy(() -> request(60).get(60, TimeUnit.SECONDS))
                .hasMessageContaining("the responder reported an error: ");
        assertThat(request(61).get(60, TimeUnit.SECONDS).text().strip()).isEqualTo("61");
        run.await(); // ends because both requests count as handled
    }

    @Test
    void shouldNotStartTheCommandForRequestsThatWaitWhenTheConnectionIsLost(@TempDir Path folder) throws Exception {
        ShellCommand command = new ShellCommand(
                "file=$(cat); touch " + folder + "/$file; until [ -e " + folder + "/go ]; do sleep 0.1; done", 1000);
        RespondRun run = new RespondRun(streams, command, 1, Long.MAX_VALUE, 1000);
        client.respond("t", run).ready().get(60, TimeUnit.SECONDS);
        CompletableFuture<Reply> first = client.request("t", "first".getBytes(UTF_8), LONG);
        await().until(() -> Files.exists(folder.resolve("first")));
        client.request("t", "second".getBytes(UTF_8), LONG);
        await().until(() -> run.waitingCount() == 1);
        run.connectionEnded(null);
        Files.createFile(folder.resolve("go"));
        run.await();
        assertThat(first.get(60, TimeUnit.SECONDS).length()).isZero();
        assertThat(folder.resolve("second")).doesNotExist();
        assertThat(run.conclude()).isEqualTo(69);
    }

    @Test
    void shouldLimitTheLinesThatPeersCause() {
        RespondRun run = new RespondRun(streams, new ShellCommand("true", 1000), 1, 1, 1000);
        for (int i = 0; i < 10_000; i++) {
            run.onError("t", 1, new IllegalArgumentException("not a request"));
            run.onGap(new Gap("t", 1, 5, Gap.Reason.SKIPPED));
        }
        run.conclude();
        assertThat(recorded.err().lines())
                .hasSizeLessThan(1000)
                .last()
                .asString()
                .contains("were left out");
    }

    private CompletableFuture<Reply> request(int length) {
        return client.request("t", new byte[length], LONG);
    }
}
