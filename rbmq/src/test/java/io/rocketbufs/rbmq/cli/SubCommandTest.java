package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Publisher;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class SubCommandTest {
    private final RunningBroker running = new RunningBroker("rbmq.broker.topics-per-filter = 2");
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldWriteTheTopicInFrontOfEachMessageThatMatchesAFilter() throws Exception {
        CompletableFuture<Integer> exit = start("sub", "-v", "a/+", "b", "--count", "3");
        await().until(() -> recorded.err().equals("subscribed a/+\nsubscribed b\n"));
        Publisher publisher = running.publisher();
        publishAndWait(publisher, "a/x", "one", 1);
        publishAndWait(publisher, "c", "not wanted", 1);
        publishAndWait(publisher, "b", "two", 2);
        publishAndWait(publisher, "a/y z", "three", 3);
        assertThat(exit.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.out()).isEqualTo("a/x one\nb two\na/y z three\n");
    }

    @Test
    void shouldReportATopicThatIsLeftOut() throws Exception {
        CompletableFuture<Integer> exit = start("sub", "#", "--count", "1");
        await().until(() -> recorded.err().equals("subscribed #\n"));
        Publisher publisher = running.publisher();
        for (String topic : new String[] {"a", "b", "c"}) {
            publisher.topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        publisher.publish("a", "one".getBytes(UTF_8));
        assertThat(exit.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(recorded.err())
                .contains("rbmq: a topic is left out of the subscription to \"#\": topic \"c\" exceeds"
                        + " rbmq.broker.topics-per-filter=2\n");
    }

    @Test
    void shouldRefuseAGroupThatBeginsWithOlderMessages() throws Exception {
        CompletableFuture<Integer> exit = start("sub", "a", "--group", "workers", "--from", "last");
        assertThat(exit.get(60, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(recorded.err()).contains("a group begins with live messages");
    }

    private CompletableFuture<Integer> start(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--broker";
        all[arguments.length + 1] = "127.0.0.1:" + running.address().getPort();
        return CompletableFuture.supplyAsync(() -> Main.run(all, recorded.withoutInput()));
    }

    private void publishAndWait(Publisher publisher, String topic, String message, int lines) {
        publisher.publish(topic, message.getBytes(UTF_8));
        await().until(() -> recorded.out().lines().count() == lines);
    }
}
