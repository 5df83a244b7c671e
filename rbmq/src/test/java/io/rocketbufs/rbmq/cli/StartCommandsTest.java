package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Publisher;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of {@code get} and {@code sub --from}. */
@Tag("once")
@Timeout(600)
final class StartCommandsTest {
    private final RunningBroker running = new RunningBroker("rbmq.broker.keep = 64 KiB");
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @AfterEach
    void close() {
        running.close();
    }

    private Publisher publish(String topic, String... messages) {
        Publisher publisher = running.publisher();
        for (String message : messages) {
            publisher.publish(topic, message.getBytes(UTF_8));
        }
        assertThat(publisher.flush(60_000)).isTrue();
        return publisher;
    }

    @Test
    void shouldWriteTheLastMessage() {
        publish("t", "one", "two", "three");
        assertThat(run("get", "t")).as(recorded.err()).isZero();
        assertThat(recorded.out()).isEqualTo("three\n");
        assertThat(recorded.err()).isEmpty();
        recorded.clear();
        assertThat(run("get", "t", "--raw")).isZero();
        assertThat(recorded.out()).isEqualTo("three");
    }

    @Test
    void shouldWriteTheLastMessageOfThePublisherThatConnectedLast() {
        publish("t", "old");
        publish("t", "new");
        publish("other", "elsewhere");
        running.publisher().publish("t2", "not yet".getBytes(UTF_8));
        assertThat(run("get", "t")).isZero();
        assertThat(recorded.out()).isEqualTo("new\n");
    }

    @Test
    void shouldWriteHeadersAndJson() {
        Publisher publisher = running.publisher();
        publisher.topic("t").publish(new Headers().set("unit", "EUR"), "12".getBytes(UTF_8));
        assertThat(publisher.flush(60_000)).isTrue();
        assertThat(run("get", "t", "--headers")).isZero();
        assertThat(run("get", "t", "--json")).isZero();
        assertThat(recorded.out())
                .isEqualTo("unit: EUR\n\n12\n{\"topic\":\"t\",\"headers\":{\"unit\":\"EUR\"},\"message\":\"12\"}\n");
    }

    @Test
    void shouldExitWith4WhenThereIsNoMessage() {
        publish("t", "gone").close();
        assertThat(run("get", "t")).isEqualTo(4);
        assertThat(recorded.err())
                .startsWith("rbmq: topic t has no last message: ")
                .contains("rbmq.broker.keep");
        assertThat(recorded.out()).isEmpty();
    }

    @Test
    void shouldWriteTheMessageThatACommandHasAskedToKeep() {
        assertThat(run("pub", "t", "one", "two", "--keep", "last")).isZero();
        assertThat(run("get", "t")).as(recorded.err()).isZero();
        assertThat(run("pub", "t", "three", "--keep", "last")).isZero();
        assertThat(run("pub", "t", "four")).isZero();
        assertThat(run("get", "t")).isZero();
        assertThat(recorded.out()).isEqualTo("two\nthree\n");
        assertThat(run("pub", "t", "five", "--keep", "first")).isEqualTo(2);
        assertThat(recorded.err()).contains("\"first\" is not last");
    }

    @Test
    void shouldStateWhyTheMessageIsMissingIfItCannotBeReceived() {
        publish("t", "one");
        assertThat(run("get", "t", "--set", "rbmq.client.max-capacity=4KiB", "--set", "rbmq.subscriber.capacity=4KiB"))
                .isEqualTo(1);
        assertThat(recorded.err()).startsWith("rbmq: topic t: ").contains("exceeds rbmq.client.max-capacity=4096");
        assertThat(recorded.out()).isEmpty();
    }

    @Test
    void shouldExitWith69WithoutABroker() {
        assertThat(run("get", "t", "--broker", "127.0.0.1:1")).isEqualTo(69);
        assertThat(recorded.out()).isEmpty();
    }

    @Test
    void shouldBeginWithOlderMessages() {
        publish("t", "one", "two", "three");
        assertThat(run("sub", "t", "--from", "oldest", "--count", "3")).isZero();
        assertThat(run("sub", "t", "--from", "last", "--count", "1")).isZero();
        assertThat(run("sub", "t", "--from", "live", "--count", "1", "--timeout", "1ms"))
                .isEqualTo(1);
        assertThat(recorded.out()).isEqualTo("one\ntwo\nthree\nthree\n");
    }

    private int run(String... arguments) {
        String[] all = arguments;
        if (!Arrays.asList(arguments).contains("--broker")) {
            all = Arrays.copyOf(arguments, arguments.length + 2);
            all[arguments.length] = "--broker";
            all[arguments.length + 1] = "127.0.0.1:" + running.address().getPort();
        }
        return Main.run(all, recorded.withoutInput());
    }
}
