package io.rocketbufs.rocketlog.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.client.ProducerCallback;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of damage to the small files of a single partition or topic. The broker must start, refuse the damaged
 * partition or topic, and serve all others.
 */
@Tag("once")
@Timeout(120)
final class DamagedFilesSystemTest {
    private static final String SEAL = "00000000000000000000.seal";

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private TopicClient topics;

    @BeforeEach
    void createTopics() throws Exception {
        start();
        running.withTopic("orders", 3).withTopic("prices", 2);
        LogProducer producer = producer("orders");
        for (int i = 0; i < 3; i++) {
            assertThat(append(producer, i)).isZero();
        }
    }

    @AfterEach
    void close() {
        running.close();
    }

    private void start() {
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = tcp, rocketlog { flush = none, deletable-topics = [\"*\"], producer {"
                        + " retry-delay = 10 ms, timeout = 1 s } }");
        topics = running.opened(TopicClient.connect(running.clients(), running.settings()));
    }

    private void restart() {
        running.close();
        start();
    }

    private LogProducer producer(String topic) {
        return running.opened(LogProducer.open(running.clients(), running.settings(), topic, ProducerCallback.NONE));
    }

    private static long append(LogProducer producer, int partition) throws Exception {
        return producer.append(partition, null, ByteBuffer.wrap("value".getBytes(UTF_8)))
                .get(60, TimeUnit.SECONDS);
    }

    private List<Long> read(int partition) {
        ConsumerOptions options = ConsumerOptions.DEFAULTS.withPartition(partition, ConsumerStart.EARLIEST);
        List<Long> offsets = new ArrayList<>();
        try (LogConsumer consumer = LogConsumer.open(running.clients(), running.settings(), "orders", options)) {
            while (offsets.isEmpty()) {
                consumer.poll(1000, (number, offset, timestamp, key, value) -> offsets.add(offset));
            }
        }
        return offsets;
    }

    /** Flips a bit in a file, and returns the original content. */
    private static byte[] damage(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        byte[] damaged = content.clone();
        damaged[content.length / 2] ^= 4;
        Files.write(file, damaged);
        return content;
    }

    private static void assertRefused(ThrowingCallable request, Path file) {
        assertThatExceptionOfType(LogClientException.class)
                .isThrownBy(request)
                .withMessageContaining(file.toString())
                .withMessageContaining("restore")
                .matches(e -> e.code() == LogClientException.Code.STORAGE);
    }

    @Test
    void shouldServeAllPartitionsExceptThatWithADamagedSeal() throws Exception {
        running.close();
        Path seal = folder.resolve("orders-1").resolve(SEAL);
        byte[] content = damage(seal);
        start();
        LogProducer producer = producer("orders");
        assertThat(append(producer, 0)).isEqualTo(1);
        assertThat(append(producer, 2)).isEqualTo(1);
        assertThat(read(0)).containsExactly(0L, 1L);
        assertRefused(() -> read(1), seal);
        assertThat(topics.state("orders").partitions().get(0).failure()).isEmpty();
        assertThat(topics.state("orders").partitions().get(1).failure())
                .contains(seal.toString(), "the CRC-32C or the content of the seal is wrong", "restore the file");
        assertThat(running.status()).contains("\"failedTopics\":0", "\"failedPartitions\":1");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> append(producer, 1))
                .withMessageContaining("topic orders, partition 1: the partition's log has failed or is damaged");

        running.close();
        Files.write(seal, content);
        start();
        assertThat(append(producer("orders"), 1)).isEqualTo(1);
        assertThat(running.status()).contains("\"failedPartitions\":0");
    }

    @Test
    void shouldDeleteATopicWithADamagedPartition() throws Exception {
        running.close();
        damage(folder.resolve("orders-1").resolve(SEAL));
        start();
        topics.delete("orders");
        topics.create("orders", 3); // waits until the files are gone
        assertThat(append(producer("orders"), 1)).isZero();
    }

    @Test
    void shouldServeAllTopicsExceptThatWithADamagedFile() throws Exception {
        running.close();
        Path file = folder.resolve("topics").resolve("prices");
        byte[] content = damage(file);
        start();
        assertThat(append(producer("orders"), 1)).isEqualTo(1);
        assertThat(topics.topics())
                .extracting("name", "isDamaged")
                .containsExactly(t("orders", false), t("prices", true));
        assertRefused(() -> topics.state("prices"), file);
        assertRefused(() -> topics.create("prices", 2), file);
        assertRefused(() -> topics.delete("prices"), file);
        assertRefused(() -> producer("prices"), file);
        assertThat(running.status()).contains("\"failedTopics\":1", "\"failedPartitions\":0");

        running.close();
        Files.write(file, content);
        start();
        assertThat(append(producer("prices"), 1)).isZero();
    }

    @Test
    void shouldHaveTheRecordsAgainIfATopicIsCreatedWhoseDamagedFileWasMovedAway() throws Exception {
        running.close();
        Path file = folder.resolve("topics").resolve("orders");
        damage(file);
        Files.move(file, folder.resolve("orders.damaged"));
        start();
        assertThat(topics.topics()).extracting(TopicEntry::name).containsExactly("prices");
        topics.create("orders", 3);
        for (int i = 0; i < 3; i++) {
            assertThat(read(i)).containsExactly(0L);
            assertThat(append(producer("orders"), i)).isEqualTo(1);
        }
        restart();
        assertThat(read(2)).containsExactly(0L, 1L);
    }

    private static org.assertj.core.groups.Tuple t(String name, boolean isDamaged) {
        return org.assertj.core.api.Assertions.tuple(name, isDamaged);
    }

    @Test
    void shouldIgnoreAFileThatCannotNameATopic() throws Exception {
        Files.writeString(folder.resolve("topics").resolve("no topic"), "");
        restart();
        assertThat(topics.topics()).hasSize(2);
    }

    @Test
    void shouldFinishADeletionWhoseFileIsDamaged() throws Exception {
        running.close();
        Path file = folder.resolve("topics").resolve("orders");
        damage(file);
        Files.move(file, folder.resolve("topics").resolve("orders~deleted"));
        start();
        assertThat(topics.topics()).hasSize(1);
        await().untilAsserted(() -> assertThat(folder).isDirectoryNotContaining("glob:**orders*"));
        assertThat(folder.resolve("topics")).isDirectoryNotContaining("glob:**orders*");
    }
}
