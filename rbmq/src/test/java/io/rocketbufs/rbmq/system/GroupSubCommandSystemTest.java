package io.rocketbufs.rbmq.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.text.HostPort;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two processes of {@code rbmq sub --group} share the messages of a topic. */
@Tag("once")
@Timeout(180)
final class GroupSubCommandSystemTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int COUNT = 200;
    /** Twice the default of rbmq.broker.group-batch. */
    private static final int MOST_UNCONSUMED = 32;

    @Test
    void shouldWriteEachMessageOnceAlsoWhenAMemberIsStoppedAndKilled() throws Exception {
        try (RunningBroker running = new RunningBroker();
                RbmqProcess killed = member(running);
                RbmqProcess other = member(running)) {
            TopicPublisher jobs = running.publisher().topic("jobs");
            publish(jobs, 0, 2);
            await().atMost(LIMIT).until(() -> lineCount(killed) + lineCount(other) == 2);
            assertThat(lineCount(killed)).isEqualTo(1);
            killed.signal("STOP");
            publish(jobs, 2, COUNT);
            await().atMost(LIMIT).until(() -> lineCount(other) >= COUNT - 1 - MOST_UNCONSUMED);
            killed.signal("KILL");
            await().atMost(LIMIT).until(() -> lineCount(killed) + lineCount(other) >= COUNT);
            assertThat((killed.outText() + other.outText()).lines())
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, COUNT)
                            .mapToObj(Integer::toString)
                            .toList());
        }
    }

    private static RbmqProcess member(RunningBroker running) {
        RbmqProcess process =
                RbmqProcess.start("sub", "jobs", "--group", "workers", "--broker", HostPort.of(running.address()));
        process.awaitErr("subscribed jobs");
        return process;
    }

    private static void publish(TopicPublisher topic, int from, int to) {
        for (int i = from; i < to; i++) {
            topic.publish(Integer.toString(i).getBytes(UTF_8));
        }
    }

    private static long lineCount(RbmqProcess process) {
        return process.outText().lines().count();
    }
}
