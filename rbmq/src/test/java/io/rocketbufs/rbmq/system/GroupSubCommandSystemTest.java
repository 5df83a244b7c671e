package io.rocketbufs.rbmq.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.text.HostPort;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests in which two {@code rbmq sub --group} processes share the messages of a topic. */
@Tag("once")
@Timeout(600)
final class GroupSubCommandSystemTest {
    private static final Duration LIMIT = Duration.ofSeconds(150);
    private static final int COUNT = 200;
    /** Maximum number of unconsumed messages of a member: twice the default of rbmq.broker.group-batch. */
    private static final int MOST_UNCONSUMED = 32;

    @Test
    void shouldWriteEachMessageWhenAMemberIsStoppedAndKilled() throws Exception {
        // On a busy machine, a member may join late; the group waits for it.
        try (RunningBroker running = new RunningBroker();
                RbmqProcess killed = member(running);
                RbmqProcess other = member(running)) {
            TopicPublisher jobs = running.publisher().topic("jobs");
            AtomicInteger published = new AtomicInteger();
            await().atMost(LIMIT).until(() -> {
                publish(jobs, published, 1);
                return lineCount(killed) > 0 && lineCount(other) > 0;
            });
            await().atMost(LIMIT).until(() -> lineCount(killed) + lineCount(other) == published.get());
            killed.signal("STOP");
            publish(jobs, published, COUNT);
            long remaining = published.get() - lineCount(killed);
            await().atMost(LIMIT).until(() -> lineCount(other) >= remaining - MOST_UNCONSUMED);
            killed.signal("KILL");
            Set<String> expected = IntStream.range(0, published.get())
                    .mapToObj(Integer::toString)
                    .collect(Collectors.toSet());
            await().atMost(LIMIT)
                    .until(() -> (killed.outText() + other.outText())
                            .lines()
                            .collect(Collectors.toSet())
                            .equals(expected));
            // The killed process may have written messages whose consumption it could not report.
            assertThat(lineCount(killed) + lineCount(other) - expected.size()).isBetween(0L, (long) MOST_UNCONSUMED);
        }
    }

    @Test
    void shouldLeaveToOthersWhatItCannotWriteOrIsNotToWrite() throws Exception {
        try (RunningBroker running = new RunningBroker();
                RbmqProcess limited = member(running, "--count", "3");
                RbmqProcess other = member(running);
                RbmqProcess full = RbmqProcess.startInto(new File("/dev/full"), arguments(running))) {
            full.awaitErr("subscribed jobs");
            TopicPublisher jobs = running.publisher().topic("jobs");
            AtomicInteger published = new AtomicInteger();
            publish(jobs, published, COUNT);
            assertThat(full.exitCode()).isEqualTo(1);
            assertThat(full.errText()).contains("standard output can no longer be written");
            assertThat(limited.exitCode()).isZero();
            assertThat(lineCount(limited)).isEqualTo(3);
            Set<String> expected =
                    IntStream.range(0, COUNT).mapToObj(Integer::toString).collect(Collectors.toSet());
            await().atMost(LIMIT)
                    .until(() -> (limited.outText() + other.outText())
                            .lines()
                            .collect(Collectors.toSet())
                            .equals(expected));
        }
    }

    private static String[] arguments(RunningBroker running, String... more) {
        List<String> all = new ArrayList<>(
                List.of("sub", "jobs", "--group", "workers", "--broker", HostPort.of(running.address())));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static RbmqProcess member(RunningBroker running, String... more) {
        RbmqProcess process = RbmqProcess.start(arguments(running, more));
        process.awaitErr("subscribed jobs");
        return process;
    }

    /** Publishes messages, each of which contains the number of messages before it. */
    private static void publish(TopicPublisher topic, AtomicInteger published, int count) {
        for (int i = 0; i < count; i++) {
            topic.publish(Integer.toString(published.getAndIncrement()).getBytes(UTF_8));
        }
    }

    private static long lineCount(RbmqProcess process) {
        return process.outText().lines().count();
    }
}
