package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.LogConsumer;
import io.rocketbufs.rocketlog.client.LogProducer;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketnet.Right;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Tests of a broker whose device refuses, permanently or temporarily, to register the memory of logs for producers. */
@Tag("once")
@Timeout(600)
final class UnregisteredLogSystemTest extends LeaseFixture {
    private static final String REASON = "orders-0: the log's memory cannot be written: " + RefusingDevice.REASON;

    private final RefusingDevice device = new RefusingDevice();

    private void startWith(Right refused, String... settings) {
        device.refused = refused;
        start(device::open, "rdma", settings);
    }

    private boolean isLogMapped() throws Exception {
        String logs = folder.toRealPath() + "/";
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .anyMatch(line -> line.contains(logs) && line.contains("/orders-0/"));
    }

    private void assertNothingIsLent() {
        assertThat(partition().leaseHolder()).isNull();
        await().until(() -> !isLogMapped());
    }

    @ParameterizedTest
    @CsvSource({"EXCLUSIVE, WRITE, tcp", "SHARED, WRITE, tcp", "SHARED, WRITE, sockets", "SHARED, ATOMIC, sockets"})
    void shouldLetProducersUseTheirBuffersAndSayWhy(ProduceMode mode, Right refused, String provider) throws Exception {
        startWith(refused, "rocketbufs.rdma.provider = " + provider);
        LeaseMode asked = LeaseMode.valueOf(mode.name());
        RawProducer.assertRefused(producer().acquire(0, asked), LogRefusal.MODE_UNAVAILABLE, REASON);
        assertNothingIsLent();
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(LogProducer.class);
        logged.start();
        logger.addAppender(logged);
        LogProducer producer = honest(mode);
        try {
            for (int i = 0; i < 3; i++) {
                assertThat(append(producer, 0)).isEqualTo(i);
                assertThat(append(producer, 1)).isEqualTo(i);
            }
        } finally {
            logger.detachAppender(logged);
        }
        assertThat(logged.list)
                .singleElement()
                .asString()
                .contains("Topic orders: the producer uses the mode private: " + REASON);
        assertThat(producer.failure()).isNull();
        assertThat(producer.reconnectCount()).isZero();
        assertThat(producer.batchCount()).isEqualTo(6);
        assertThat(producer.directBatchCount()).isZero();
        assertThat(running.status()).contains("\"acquire\":2,", "\"writtenBatches\":0,");
        assertNothingIsLent();
        LogConsumer consumer = running.opened(
                LogConsumer.open(running.clients(), running.settings(), "orders", ConsumerOptions.DEFAULTS));
        int[] count = new int[1];
        while (count[0] < 6) {
            consumer.poll(1000, (partition, offset, timestamp, key, value) -> count[0]++ >= 0);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ProduceMode.class,
            names = {"EXCLUSIVE", "SHARED"})
    void shouldUseTheMemoryAgainWhenTheDeviceAcceptsIt(ProduceMode mode) throws Exception {
        startWith(Right.WRITE);
        assertThat(append(honest(mode), 0)).isZero();
        device.refused = null;
        assertThat(append(honest(mode), 0)).isEqualTo(1);
        assertThat(running.status()).contains("\"writtenBatches\":1,");
    }

    @Test
    void shouldNotDisturbProducersThatShareTheLogOrHaveAnotherOne() throws Exception {
        startWith(null);
        RawProducer exclusive = producer();
        RawProducer.Written other = exclusive.lease(1);
        LogProducer sharing = honest(ProduceMode.SHARED);
        assertThat(append(sharing, 0)).isZero();
        device.refused = Right.WRITE;
        LogProducer refused = honest(ProduceMode.SHARED);
        RawProducer raw = producer();
        for (int i = 0; i < 10; i++) {
            RawProducer.assertRefused(raw.acquire(0, LeaseMode.SHARED), LogRefusal.MODE_UNAVAILABLE, REASON);
            assertThat(append(refused, 0)).isEqualTo(2 * i + 1);
            assertThat(append(sharing, 0)).isEqualTo(2 * i + 2);
            other.write(batch(7, i, "value"));
        }
        exclusive.awaitResults(10);
        assertThat(exclusive.results).hasSize(10).allMatch(result -> result >= 0);
        assertThat(running.status())
                .contains("\"leases\":2,", "\"startedLeases\":2,", "\"brokenLeases\":0}", "\"writtenBatches\":21,");
    }
}
