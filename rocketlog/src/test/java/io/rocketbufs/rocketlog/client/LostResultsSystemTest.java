package io.rocketbufs.rocketlog.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.json.Json;
import io.rocketbufs.process.LastingPort;
import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of producers that lose the results of hundreds of batches together with their connection, although the log
 * contains the batches.
 */
@Tag("once")
@Timeout(600)
final class LostResultsSystemTest {
    /**
     * Settings with which each record fills a batch, so that as many batches as records are in flight. Only the tests
     * end connections.
     */
    private static final String UNBATCHED = "rocketlog { produce.direct.topics = [orders],"
            + " segment-length = 256 KiB, batch.longest = 16 KiB,"
            + " producer { batch = 1 KiB, memory = 4 MiB, retry-delay = 20 ms } }\n"
            + "rocketbufs { heartbeat-interval = 2 m, heartbeat-timeout = 10 m }";

    private static final int COUNT = 900;
    /**
     * Number of batches that are sent while results are missing. The last batch is not full, and waits for more
     * records.
     */
    private static final int SENT = COUNT - 1;

    @TempDir
    Path folder;

    private static List<String> texts(String prefix) {
        String filler = "-".repeat(600);
        return IntStream.range(0, COUNT).mapToObj(i -> prefix + i + filler).toList();
    }

    private static LogProducer open(RunningLogBroker running, LossyLink link, ProduceMode mode) {
        LogClientSettings settings = running.settings().withBroker(link.address());
        return running.opened(LogProducer.open(
                running.clients(),
                settings.withProducer(settings.producer().withMode(mode)),
                "orders",
                ProducerCallback.NONE));
    }

    private static CompletableFuture<Long> append(LogProducer producer, String text) {
        return producer.append(0, null, ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private static List<CompletableFuture<Long>> append(LogProducer producer, List<String> texts) {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        texts.forEach(text -> offsets.add(append(producer, text)));
        return offsets;
    }

    /** Appends the first record, which creates the producer's state at the broker, and returns its offset. */
    private static long begin(LogProducer producer, List<String> texts) throws Exception {
        return append(producer, texts.get(0)).get(60, TimeUnit.SECONDS);
    }

    private static long status(RunningLogBroker running, String field) {
        return Json.parse(running.status()).getLong(field);
    }

    private static void awaitBatches(RunningLogBroker running, int count) {
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(
                        () -> assertThat(status(running, "appendedBatches")).isEqualTo(count));
    }

    private static void assertOffsets(List<CompletableFuture<Long>> offsets, long first) {
        for (int i = 0; i < offsets.size(); i++) {
            assertThat(offsets.get(i)).succeedsWithin(60, TimeUnit.SECONDS).isEqualTo(first + i);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "private, interval, disk",
        "private, always, disk",
        "private, none, memory",
        "exclusive, interval, disk",
    })
    void shouldReturnTheOffsetsOfHundredsOfBatchesWhoseResultsWereLost(String mode, String flush, String storage)
            throws Exception {
        List<String> texts = texts("a ");
        boolean isInMemory = storage.equals("memory");
        // A producer with a lease needs results before it can use the next segment.
        String segments = mode.equals("exclusive") ? "rocketlog.segment-length = 4 MiB" : "";
        try (RunningLogBroker running =
                new RunningLogBroker(folder, UNBATCHED, segments, "rocketlog.flush = " + flush)) {
            if (isInMemory) {
                running.withMemoryTopic("orders", 1, 4 << 20);
            } else {
                running.withTopic("orders", 1);
            }
            LossyLink link = running.opened(new LossyLink(running.address()));
            LogProducer producer = open(running, link, ProduceMode.valueOf(mode.toUpperCase(Locale.ROOT)));
            long first = begin(producer, texts);
            link.loseAnswers();
            List<CompletableFuture<Long>> offsets = append(producer, texts.subList(1, COUNT));
            awaitBatches(running, SENT);
            assertThat(offsets).noneMatch(CompletableFuture::isDone);
            link.cut();
            assertOffsets(offsets, first + 1);
            assertThat(producer.reconnectCount()).isOne();
            assertThat(status(running, "duplicateBatches")).isEqualTo(SENT - 1);
            assertThat(status(running, "appendedBatches")).isEqualTo(COUNT);
        }
        if (!isInMemory) {
            assertThat(LoggedRecords.values(folder, "orders-0")).isEqualTo(texts);
        }
    }

    @Test
    void shouldAppendResentBatchesOnceAlthoughTheirOffsetsAreUnknown() throws Exception {
        List<String> ones = texts("a ");
        List<String> others = texts("b ");
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        try (RunningLogBroker running = new RunningLogBroker(folder, UNBATCHED, "rocketlog.flush = always")) {
            running.withTopic("orders", 1);
            LossyLink link = running.opened(new LossyLink(running.address()));
            LogProducer one = open(running, link, ProduceMode.PRIVATE);
            LogProducer other = open(running, link, ProduceMode.PRIVATE);
            begin(one, ones);
            begin(other, others);
            link.loseAnswers();
            for (int i = 1; i < COUNT; i++) {
                offsets.add(append(one, ones.get(i)));
                append(other, others.get(i));
                if (i % 50 == 0) { // prevents either producer from getting far ahead
                    awaitBatches(running, 2 * i);
                }
            }
            awaitBatches(running, 2 * SENT);
            link.cut();
            one.flush();
            other.flush();
            assertThat(one.reconnectCount() + other.reconnectCount()).isEqualTo(2);
            assertThat(status(running, "appendedBatches")).isEqualTo(2 * COUNT);
        }
        List<String> values = LoggedRecords.values(folder, "orders-0");
        assertThat(values.stream().filter(value -> value.startsWith("a "))).isEqualTo(ones);
        assertThat(values.stream().filter(value -> value.startsWith("b "))).isEqualTo(others);
        assertThat(values).hasSize(2 * COUNT);
        assertThat(offsets.get(0)).isCompletedWithValue(ProducerCallback.UNKNOWN_OFFSET);
        for (int i = 1; i < COUNT; i++) {
            assertThat(offsets.get(i - 1).join())
                    .isIn((long) values.indexOf(ones.get(i)), ProducerCallback.UNKNOWN_OFFSET);
        }
        assertThat(offsets.get(COUNT - 2)).isCompletedWithValue((long) values.indexOf(ones.get(COUNT - 1)));
    }

    @Test
    void shouldReturnTheOffsetsWhenTheBrokerWasRestartedAfterItsResultsWereLost() throws Exception {
        List<String> texts = texts("a ");
        int port = LastingPort.find();
        try (RocketBufs rocketBufs = RocketBufs.open(RunningLogBroker.config(folder, UNBATCHED));
                RunningLogBroker former =
                        new RunningLogBroker(folder, UNBATCHED, "rocketlog.port = " + port).withTopic("orders", 1);
                LossyLink link = new LossyLink(former.address());
                LogProducer producer = LogProducer.open(
                        rocketBufs, former.settings().withBroker(link.address()), "orders", ProducerCallback.NONE)) {
            begin(producer, texts);
            link.loseAnswers();
            List<CompletableFuture<Long>> offsets = append(producer, texts.subList(1, COUNT));
            awaitBatches(former, SENT);
            former.broker().close();
            try (RunningLogBroker next = new RunningLogBroker(folder, UNBATCHED, "rocketlog.port = " + port)) {
                assertOffsets(offsets, 1);
                assertThat(status(next, "duplicateBatches")).isEqualTo(SENT - 1);
                assertThat(status(next, "appendedBatches")).isEqualTo(1);
            }
        }
        assertThat(LoggedRecords.values(folder, "orders-0")).isEqualTo(texts);
    }
}
