package io.rocketbufs.rbmq.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.NoRespondersException;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.text.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests in which a {@code respond} process ends while its commands are running, and in which {@code request} reads from
 * a pipe.
 */
@Tag("once")
@Timeout(600)
final class RespondSystemTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final int TERMINATED = 143;

    @Test
    void shouldReplyBeforeItEndsButNotWhenItIsKilled(@TempDir Path folder) throws Exception {
        Path go = folder.resolve("go");
        String command =
                "echo > \"$(cat)\"; for i in $(seq 600); do [ -e " + go + " ] && break; sleep 0.1; done; echo done";
        try (RunningBroker running = new RunningBroker();
                RbmqProcess terminated = respond(running, "terminated", command);
                RbmqProcess killed = respond(running, "killed", command);
                RbmqClient client = RbmqClient.connect(HostPort.of(running.address()))) {
            CompletableFuture<Reply> lost = request(client, "killed", folder.resolve("1"));
            killed.signal("KILL");
            assertThat(lost.handle((reply, failure) -> failure).get(60, TimeUnit.SECONDS))
                    .isInstanceOf(NoRespondersException.class);

            CompletableFuture<Reply> last = request(client, "terminated", folder.resolve("2"));
            terminated.signal("TERM");
            terminated.awaitErr("waiting up to 12 s for the running commands to end");
            Files.createFile(go);
            assertThat(last.get(60, TimeUnit.SECONDS).text()).isEqualTo("done\n");
            assertThat(terminated.exitCode()).isEqualTo(TERMINATED);
        }
    }

    @Test
    void shouldReadARequestFromAPipe() throws Exception {
        try (RunningBroker running = new RunningBroker();
                RbmqClient responder = RbmqClient.connect(HostPort.of(running.address()))) {
            responder
                    .respond("echo", (request, replier) -> replier.reply(request.text()))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
            try (RbmqProcess request =
                    RbmqProcess.start("request", "echo", "--broker", HostPort.of(running.address()))) {
                request.type("hello");
                request.endInput();
                assertThat(request.exitCode()).as(request.errText()).isZero();
                assertThat(request.outText()).isEqualTo("hello\n");
            }
            try (RbmqProcess endless = RbmqProcess.startInShell(
                    "request echo --broker " + HostPort.of(running.address()) + " < /dev/zero")) {
                assertThat(endless.exitCode()).as(endless.errText()).isEqualTo(1);
                assertThat(endless.errText()).contains("longestMessage=");
            }
        }
    }

    private static RbmqProcess respond(RunningBroker running, String topic, String command) {
        RbmqProcess process =
                RbmqProcess.start("respond", topic, "--exec", command, "--broker", HostPort.of(running.address()));
        process.awaitErr("responding to " + topic);
        return process;
    }

    /** Sends a request and waits until the command has created the file that the request names. */
    private static CompletableFuture<Reply> request(RbmqClient client, String topic, Path started) {
        CompletableFuture<Reply> reply =
                client.request(topic, started.toString().getBytes(UTF_8), LONG);
        await().until(() -> Files.exists(started));
        return reply;
    }
}
