package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the commands {@code request} and {@code respond}. */
@Tag("once")
@Timeout(600)
final class RequestCommandsTest {
    private final RunningBroker running = new RunningBroker();
    private final RecordedStreams recorded = new RecordedStreams("rbmq");
    private final RecordedStreams responder = new RecordedStreams("rbmq");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldReplyWithTheOutputOfTheCommand() throws Exception {
        String command = "cat; printf ' %s|%s|%s|%s|%s' \"$RBMQ_TOPIC\" \"$RBMQ_HEADER_CONTENT_TYPE\""
                + " \"$RBMQ_HEADER_PATH\" \"$RBMQ_HEADER_REPLY_TO\" \"${RBMQ_HEADER_EXPIRES:+limited}\"";
        CompletableFuture<Integer> responding = respond(command, "t/+", "--count", "2");
        assertThat(request("t/a", "hello", "-H", "content-type=text/plain", "-H", "path=/evil"))
                .as(recorded.err())
                .isZero();
        assertThat(recorded.out()).isEqualTo("hello t/a|text/plain|/evil||limited\n");
        assertThat(request("t/b", "")).isZero();
        assertThat(responding.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(responder.err()).isEqualTo("responding to t/+\n");
    }

    @Test
    void shouldPassBytesUnchangedInBothDirections() throws Exception {
        respond("cat", "t", "--count", "2");
        byte[] bytes = new byte[10_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        assertThat(run(new ByteArrayInputStream(bytes), "request", "t", "--raw"))
                .isZero();
        assertThat(recorded.outBytes()).isEqualTo(bytes);
        recorded.clear();
        assertThat(run(new ByteArrayInputStream("a line\n".getBytes(UTF_8)), "request", "t"))
                .isZero();
        assertThat(recorded.out()).isEqualTo("a line\n");
    }

    @Test
    void shouldNotWaitForTheCommandToReadItsInput() throws Exception {
        respond("echo done", "t", "--count", "1");
        assertThat(run(new ByteArrayInputStream(new byte[500_000]), "request", "t"))
                .isZero();
        assertThat(recorded.out()).isEqualTo("done\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 3                              | the command exited with 3",
                "echo half; exit 1                   | the command exited with 1",
                "no-such-command                     | the command exited with 127",
                "head -c 5000 /dev/zero              | output is longer than the 4096 bytes of the responder's",
                "head -c 4090 /dev/zero | a reply of 4103 bytes, including headers, is longer than the 4092"
            })
    void shouldExitWith1WhenTheCommandFails(String command, String reason) throws Exception {
        CompletableFuture<Integer> responding =
                respond(command, "t", "--count", "1", "--set", "rbmq.client.reply-capacity=4096");
        assertThat(request("t", "hello")).isEqualTo(1);
        assertThat(recorded.err())
                .startsWith("rbmq: request to topic \"t\": the responder reported an error: ")
                .contains(reason);
        assertThat(recorded.out()).isEmpty();
        assertThat(responding.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(responder.err()).contains("rbmq: topic t: ").contains(reason);
    }

    @Test
    void shouldEndACommandWhoseRequestHasExpired(@TempDir Path folder) throws Exception {
        Path pid = folder.resolve("pid");
        respond("echo $$ > " + pid + "; while :; do sleep 1; done", "t", "--count", "1");
        int exitCode = request("t", "hello", "--timeout", "500ms");
        // On a busy machine, the error reply for the expired request may arrive before the requester's own timeout.
        if (exitCode == 1) {
            assertThat(recorded.err()).contains("expired");
        } else {
            assertThat(exitCode).isEqualTo(5);
            assertThat(recorded.err()).isEqualTo("rbmq: request to topic \"t\": no reply within 500 ms\n");
        }
        await().until(() -> responder.err().contains("the command did not end before the request expired")
                || responder.err().contains("the request expired"));
        if (Files.exists(pid)) { // on a busy machine, the request may expire before the command has written the file
            await().until(() -> !Files.readString(pid).isBlank());
            long process = Long.parseLong(Files.readString(pid).strip());
            await().until(() ->
                    ProcessHandle.of(process).filter(ProcessHandle::isAlive).isEmpty());
        }
    }

    @Test
    void shouldExitWith4WhenThereIsNoResponder() {
        assertThat(request("t", "hello", "--timeout", "1h")).isEqualTo(4);
        assertThat(recorded.err()).startsWith("rbmq: request to topic \"t\": there is no responder");
    }

    @Test
    void shouldRequestWithTheConfigurationOfALossyPublisher() {
        assertThat(request("t", "hello", "--set", "rbmq.publisher.flow-control=off"))
                .as(recorded.err())
                .isEqualTo(4);
    }

    @Test
    void shouldExitWith77WhenTheBrokerRefusesTheTopic() {
        assertThat(request("t", "hello", "--set", "rbmq.publisher.capacity=1GiB"))
                .isEqualTo(77);
        assertThat(recorded.err()).contains("rbmq.broker.max-capacity");
    }

    @Test
    void shouldExitWith1WhenTheRequestIsTooLong() {
        assertThat(request("t", "x".repeat(100), "--set", "rbmq.publisher.capacity=50"))
                .isEqualTo(1);
        assertThat(recorded.err()).contains("request.length=100").contains("longestMessage=46");
    }

    @ParameterizedTest
    @CsvSource({
        "request t/+ m, contains + or #",
        "request t m --timeout 0s, --timeout 0ms: must be positive",
        "request t m extra, Too many arguments",
        "respond a/#/b --exec true, # must be the last level",
        "respond t, Missing required option: '--exec=COMMAND'",
        "respond t --exec true --parallel 0, --parallel 0: must be positive",
        "respond t --exec true --count 0, --count 0: must be positive"
    })
    void shouldExitWith2WhenAnArgumentIsWrong(String arguments, String reason) {
        assertThat(run(InputStream.nullInputStream(), arguments.split(" "))).isEqualTo(2);
        assertThat(recorded.err()).contains(reason);
    }

    private int request(String... arguments) {
        List<String> all = new ArrayList<>(List.of("request"));
        all.addAll(Arrays.asList(arguments));
        return run(InputStream.nullInputStream(), all.toArray(String[]::new));
    }

    private int run(InputStream in, String... arguments) {
        return Main.run(withBroker(arguments), recorded.withInput(in));
    }

    /** Runs {@code respond} on a thread and waits until it is ready. */
    private CompletableFuture<Integer> respond(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("respond", "--exec", command));
        all.addAll(Arrays.asList(arguments));
        CompletableFuture<Integer> exitCode = new CompletableFuture<>();
        String[] words = withBroker(all.toArray(String[]::new));
        Thread thread = new Thread(() -> exitCode.complete(Main.run(words, responder.withoutInput())), "respond");
        thread.setDaemon(true);
        thread.start();
        await().until(() -> responder.err().contains("responding to"));
        return exitCode;
    }

    private String[] withBroker(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--broker", "127.0.0.1:" + running.address().getPort()));
        return all.toArray(String[]::new);
    }
}
