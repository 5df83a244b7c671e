package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.TopicState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of topics with their own options for retention and segments. */
@Tag("once")
@Timeout(600)
final class TopicOptionsSystemTest {
    private static final int SEGMENT = 64 << 10;
    private static final LogTopicOptions SHORT = new LogTopicOptions(0, SEGMENT, SEGMENT);

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private TopicClient topics;

    private void start(String settings) {
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = tcp, rocketlog { flush-interval = 20 ms, segment-length = 1 MiB,"
                        + " retention { time = none, length = none }, producer.batch = 16 KiB, " + settings + " }");
        topics = running.opened(TopicClient.connect(running.clients(), running.settings()));
    }

    @AfterEach
    void close() {
        running.close();
    }

    /** Appends enough records to fill several short segments. */
    private void fill(String topic) {
        try (LogProducer producer =
                LogProducer.open(running.clients(), running.settings(), topic, ProducerCallback.NONE)) {
            for (int i = 0; i < 300; i++) {
                producer.append(0, null, ByteBuffer.allocate(1000));
            }
            producer.flush();
        }
    }

    private TopicState.Partition partition(String topic) {
        return topics.state(topic).partitions().get(0);
    }

    @Test
    void shouldKeepTheLengthOfEachTopicAlsoAfterARestart() {
        start("batch.longest = 16 KiB");
        topics.create("short", 1, SHORT);
        topics.create("long", 1);
        for (int round = 1; round < 3; round++) {
            long before = partition("short").nextOffset();
            fill("short");
            fill("long");
            await().until(() -> partition("short").firstOffset() > before
                    && partition("short").length() < 3 * SEGMENT);
            assertThat(partition("short").length()).isGreaterThanOrEqualTo(SEGMENT);
            assertThat(partition("long").firstOffset()).isZero();
            assertThat(partition("long").segments()).isEqualTo(1);
            assertThat(topics.state("short").ownOptions()).isEqualTo(SHORT);
            assertThat(topics.state("short").options())
                    .isEqualTo(new LogTopicOptions(LogTopicOptions.UNLIMITED, SEGMENT, SEGMENT));
            assertThat(topics.state("long").ownOptions()).isEqualTo(LogTopicOptions.NONE);
            running.close();
            start("batch.longest = 16 KiB");
        }
    }

    @Test
    void shouldKeepRecordsForeverAlthoughTheBrokerDoesNot() {
        start("batch.longest = 16 KiB");
        topics.create("forever", 1, new LogTopicOptions(LogTopicOptions.UNLIMITED, LogTopicOptions.UNLIMITED, SEGMENT));
        topics.create("short", 1, new LogTopicOptions(LogTopicOptions.UNSET, LogTopicOptions.UNSET, SEGMENT));
        running.close();
        start("batch.longest = 16 KiB, retention { time = 1 ms, length = 64 KiB }");
        fill("forever");
        fill("short");
        await().until(() -> partition("short").firstOffset() > 0);
        assertThat(partition("forever").firstOffset()).isZero();
        assertThat(partition("forever").segments()).isGreaterThan(3);
    }

    @Test
    void shouldCreateATopicAgainOnlyWithTheSameOptions() {
        start("batch.longest = 16 KiB");
        topics.create("short", 1, SHORT);
        topics.create("short", 1, SHORT);
        topics.create("short", 1, new LogTopicOptions(0, 0, SEGMENT));
        topics.create("short", 1);
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.create("short", 1, new LogTopicOptions(1, SEGMENT, 0)))
                .withMessageContaining("exists with different options (retention.time, retention.length), which");
    }

    @Test
    void shouldStartWithBatchesThatAreLongerThanTheSegmentsOfATopic() {
        start("batch.longest = 16 KiB");
        topics.create("short", 1, SHORT);
        fill("short");
        running.close();
        start("batch.longest = 256 KiB");
        fill("short");
        assertThat(topics.state("short").options().segmentLength()).isEqualTo(256 << 10);
        assertThat(topics.state("short").ownOptions()).isEqualTo(SHORT);
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(() -> topics.create("other", 1, SHORT))
                .withMessageContaining("segment-length=65536 bytes is less than rocketlog.batch.longest=262144");
    }
}
