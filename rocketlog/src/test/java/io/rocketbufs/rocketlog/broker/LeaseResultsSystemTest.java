package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of results that wait to be reported, for batches that a producer has written into the logs of three partitions.
 */
@Tag("once")
@Timeout(120)
final class LeaseResultsSystemTest {
    private static final int PARTITIONS = 3;

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private RawProducer producer;

    /** Opens a producer that does not read its results yet; 256 of them wait in a buffer of the broker. */
    @BeforeEach
    void start() {
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = tcp, rocketlog { segment-length = 256 KiB, batch.longest = 32 KiB",
                "produce { window = 16, direct { topics = [orders], revoke-timeout = 30 s } } }");
        running.withTopic("orders", PARTITIONS);
        producer = running.opened(new RawProducer(running.clients(), running.address()));
        assertThat(LogMessageLayout.type(producer.ask(ProduceMessageLayout.produce(1, RawProducer.BUFFER, "orders"))))
                .isEqualTo(LogMessageType.PRODUCING);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private LogPartition partition(int number) {
        return running.broker().topics().topic("orders").partition(number);
    }

    private static void write(RawProducer.Written log, int first, int end) {
        for (int i = first; i < end; i++) {
            log.write(RawProducer.batch(7, 0, i, "a"));
        }
    }

    @Test
    void shouldNotCountTheResultsOfALeaseThatHasEndedAgainstTheOthers() {
        RawProducer.Written[] logs = new RawProducer.Written[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            logs[i] = producer.lease(i);
            write(logs[i], 0, AppendResult.MOST_IN_FLIGHT - 1);
            LogPartition partition = partition(i);
            await().until(() -> partition.nextOffset() == AppendResult.MOST_IN_FLIGHT - 1);
        }
        partition(0).endLease();
        await().until(() -> logs[0].isRevoked && partition(0).leaseHolder() == null);
        for (int i = 1; i < PARTITIONS; i++) {
            write(logs[i], AppendResult.MOST_IN_FLIGHT - 1, AppendResult.MOST_IN_FLIGHT);
        }
        producer.subscribe();
        producer.awaitResults(PARTITIONS * AppendResult.MOST_IN_FLIGHT - 1);
        assertThat(producer.end).isNull();
        assertThat(producer.results).allMatch(result -> result >= 0);
    }

    @Test
    void shouldDisconnectAProducerThatExceedsTheBatchesInFlightOfAPartition() {
        RawProducer.Written log = producer.lease(0);
        for (int i = 0; producer.end == null && log.write(RawProducer.batch(7, 0, i, "a")); i++) {
            assertThat(i).isLessThan(100_000);
        }
        await().until(() -> producer.end != null);
    }
}
