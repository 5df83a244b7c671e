package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Headers;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of headers in {@code pub} and {@code sub}. */
@Tag("once")
@Timeout(600)
final class HeaderCommandsTest {
    private final RunningBroker running = new RunningBroker();
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldShowTheHeadersThatWerePublished() throws Exception {
        CompletableFuture<Integer> sub = sub("--headers", "--count", "3");
        assertThat(run("pub", "t", "one", "two", "-H", "k=v", "-H", "query=a=b=c", "-H", "empty=", "--header", "k=w"))
                .as(recorded.err())
                .isZero();
        assertThat(run("pub", "t", "three")).isZero();
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        String headers = "k: v\nquery: a=b=c\nempty: \nk: w\n";
        assertThat(recorded.out()).isEqualTo(headers + "\none\n" + headers + "\ntwo\n\nthree\n");
    }

    @Test
    void shouldShowHeadersAndTopic() throws Exception {
        CompletableFuture<Integer> sub = sub("--headers", "-v", "--count", "2");
        assertThat(run("pub", "t", "one", "-H", "k=v")).isZero();
        assertThat(run("pub", "t", "two")).isZero();
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.out()).isEqualTo("k: v\n\nt one\n\nt two\n");
    }

    @Test
    void shouldShowNoHeadersWithoutTheOption() throws Exception {
        CompletableFuture<Integer> sub = sub("--count", "1");
        assertThat(run("pub", "t", "one", "-H", "k=v")).isZero();
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.out()).isEqualTo("one\n");
    }

    @Test
    void shouldPublishLinesAndFilesWithHeaders() throws Exception {
        CompletableFuture<Integer> sub = sub("--headers", "--count", "3");
        assertThat(run("pub", "t", "--lines", "-H", "k=v")).isZero();
        assertThat(run("pub", "t", "--file", "-", "-H", "k=v")).isZero();
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.out()).isEqualTo("k: v\n\nfrom\nk: v\n\nstdin\nk: v\n\nfrom\nstdin\n\n");
    }

    @Test
    void shouldWriteWhatIsNotPlainTextInBase64() throws Exception {
        CompletableFuture<Integer> sub = sub("--headers", "--count", "1");
        publish(new Headers()
                .set("binary", new byte[] {0, -1})
                .set("forged", "x\nk: v")
                .set("k\u00e4y", "\u20ac"));
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.out()).isEqualTo("binary:: AP8=\nforged:: eAprOiB2\nk\u00e4y: \u20ac\n\nm\n");
    }

    @Test
    void shouldWriteAKeyThatWouldBeAmbiguousAsAJsonString() throws Exception {
        CompletableFuture<Integer> sub = sub("--headers", "--count", "1");
        publish(new Headers()
                .set("k:", "v")
                .set("a: b", new byte[] {0})
                .set("\"q", "1")
                .set("x\"", "2"));
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.out()).isEqualTo("\"k:\": v\n\"a: b\":: AA==\n\"\\\"q\": 1\nx\": 2\n\nm\n");
    }

    @Test
    void shouldWriteHeadersAsAJsonObject() throws Exception {
        CompletableFuture<Integer> sub = sub("--json", "--count", "2");
        publish(new Headers()
                .add("k", "\"1\"\n")
                .add("binary", new byte[] {0, -1})
                .add("k", 2));
        publish(new Headers());
        assertThat(sub.get(60, TimeUnit.SECONDS)).isZero();
        String headers = "{\"k\":[\"\\\"1\\\"\\n\",\"2\"],\"binary\":{\"base64\":\"AP8=\"}}";
        assertThat(recorded.out())
                .isEqualTo("{\"topic\":\"t\",\"headers\":" + headers + ",\"message\":\"m\"}\n"
                        + "{\"topic\":\"t\",\"message\":\"m\"}\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "subject; -H subject: is not KEY=VALUE",
                "''; -H : is not KEY=VALUE",
                "=value; -H =value: key.length=0 is not in the range 1 to 127"
            })
    void shouldExitWith2WhenAHeaderIsInvalid(String header, String error) {
        assertThat(run("pub", "t", "m", "-H", "good=1", "-H", header)).isEqualTo(2);
        assertThat(recorded.err()).startsWith("rbmq: " + error + "\n");
    }

    @Test
    void shouldExitWith2WhenAKeyIsTooLong() {
        assertThat(run("pub", "t", "m", "-H", "x".repeat(128) + "=1")).isEqualTo(2);
        assertThat(recorded.err())
                .startsWith("rbmq: -H " + "x".repeat(40) + ": key.length=128 is not in the range 1 to 127\n");
    }

    @Test
    void shouldExitWith2WhenHeadersAreTooLong() {
        String[] arguments = new String[3 + 2 * 256];
        Arrays.fill(arguments, "-H");
        arguments[0] = "pub";
        arguments[1] = "t";
        arguments[2] = "m";
        for (int i = 4; i < arguments.length; i += 2) {
            arguments[i] = "k=v";
        }
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(recorded.err()).startsWith("rbmq: -H k=v: the headers of a message are at most 255");
        assertThat(run("pub", "t", "m", "-H", "k=" + "v".repeat(100), "--set", "rbmq.publisher.capacity=50"))
                .isEqualTo(2);
        assertThat(recorded.err())
                .contains("rbmq: -H: the headers have 106 bytes, more than rbmq.publisher.capacity allows\n");
    }

    @Test
    void shouldSubtractTheHeadersFromTheLongestMessage() {
        assertThat(run("pub", "t", "x".repeat(41), "-H", "k=v", "--set", "rbmq.publisher.capacity=50"))
                .isEqualTo(1);
        assertThat(recorded.err())
                .isEqualTo("rbmq: a message is longer than the 39 bytes that rbmq.publisher.capacity allows in addition"
                        + " to the headers\n");
    }

    @Test
    void shouldExitWith2WhenHeadersAreRequestedOfRawOutput() {
        assertThat(run("sub", "t", "--raw", "--headers")).isEqualTo(2);
        assertThat(recorded.err()).startsWith("rbmq: --raw and --headers are mutually exclusive\n");
    }

    private void publish(Headers headers) {
        running.publisher().topic("t").publish(headers, new byte[] {'m'});
    }

    /** Starts {@code sub} and waits until it is subscribed. */
    private CompletableFuture<Integer> sub(String... options) {
        String[] arguments = new String[2 + options.length];
        arguments[0] = "sub";
        arguments[1] = "t";
        System.arraycopy(options, 0, arguments, 2, options.length);
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        new Thread(() -> ended.complete(run(arguments))).start();
        await().until(() -> recorded.err().contains("subscribed t\n"));
        return ended;
    }

    private int run(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--broker";
        all[arguments.length + 1] = "127.0.0.1:" + running.address().getPort();
        return Main.run(all, recorded.withInput("from\nstdin\n"));
    }
}
