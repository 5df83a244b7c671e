package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LeaseMessageLayout;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.ProduceMessageLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of results that wait to be reported. They belong to batches that a producer has written into the logs of three
 * partitions.
 */
@Tag("once")
@Timeout(120)
final class LeaseResultsSystemTest {
    private static final int PARTITIONS = 3;

    @TempDir
    Path folder;

    private RunningLogBroker running;
    private RawProducer producer;

    /** Opens a producer that does not receive its results yet. The broker's buffer has space for 256 results. */
    private void start(int segmentsPerConnection) {
        running = new RunningLogBroker(
                folder,
                "rocketbufs.transport = tcp, rocketlog { segment-length = 256 KiB, batch.longest = 32 KiB",
                "limits.segments-per-connection = " + segmentsPerConnection,
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

    private void endLease(int number, RawProducer.Written log) {
        partition(number).endLease();
        await().until(() -> log.isRevoked && partition(number).leaseHolder() == null);
    }

    /** Writes batches into the log of a partition, one less than can be in flight, and ends the lease. */
    private void fill(int number) {
        RawProducer.Written log = producer.lease(number);
        write(log, 0, AppendResult.MOST_IN_FLIGHT - 1);
        LogPartition partition = partition(number);
        await().until(() -> partition.nextOffset() == AppendResult.MOST_IN_FLIGHT - 1);
        endLease(number, log);
    }

    private static void write(RawProducer.Written log, int first, int end) {
        for (int i = first; i < end; i++) {
            log.write(RawProducer.batch(7, 0, i, "a"));
        }
    }

    @Test
    void shouldNotCountTheResultsOfALeaseThatHasEndedAgainstTheOthers() {
        start(PARTITIONS);
        RawProducer.Written[] logs = new RawProducer.Written[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            logs[i] = producer.lease(i);
            write(logs[i], 0, AppendResult.MOST_IN_FLIGHT - 1);
            LogPartition partition = partition(i);
            await().until(() -> partition.nextOffset() == AppendResult.MOST_IN_FLIGHT - 1);
        }
        endLease(0, logs[0]);
        for (int i = 1; i < PARTITIONS; i++) {
            write(logs[i], AppendResult.MOST_IN_FLIGHT - 1, AppendResult.MOST_IN_FLIGHT);
        }
        producer.subscribe();
        producer.awaitResults(PARTITIONS * AppendResult.MOST_IN_FLIGHT - 1);
        assertThat(producer.end).isNull();
        assertThat(producer.results).allMatch(result -> result >= 0);
    }

    /**
     * Without this refusal, only the number of partitions would limit the results that a producer can leave waiting.
     */
    @Test
    void shouldRefuseALeaseWhileTooManyResultsOfFormerOnesWait() {
        start(1);
        fill(0);
        fill(1);
        for (LeaseMode mode : List.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED)) {
            RawProducer.assertRefused(
                    producer.acquire(2, mode), LogRefusal.NOT_NOW, "rocketlog.limits.segments-per-connection=1 allows");
        }
        RawProducer other = running.opened(new RawProducer(running.clients(), running.address()));
        other.announce("orders");
        RawProducer.Written log = other.lease(2);
        write(log, 0, 1);
        other.awaitResults(1);
        endLease(2, log);
        producer.subscribe();
        producer.awaitResults(2 * (AppendResult.MOST_IN_FLIGHT - 1));
        write(producer.lease(2), 1, 2);
        producer.awaitResults(2 * AppendResult.MOST_IN_FLIGHT - 1);
        assertThat(producer.results).allMatch(result -> result >= 0);
    }

    @Test
    void shouldCountTheResultsAndLeasesOfAllProducersOfAConnection() {
        start(1);
        fill(0);
        int another = RawProducer.BUFFER + 1;
        producer.createBuffer(another);
        assertThat(LogMessageLayout.type(producer.ask(ProduceMessageLayout.produce(1, another, "orders"))))
                .isEqualTo(LogMessageType.PRODUCING);
        assertThat(LogMessageLayout.type(
                        producer.ask(LeaseMessageLayout.acquire(7, another, 1, LeaseMode.EXCLUSIVE, 1))))
                .isEqualTo(LogMessageType.ACQUIRED);
        RawProducer.assertRefused(producer.acquire(2), LogRefusal.NOT_NOW, "1775 results of this connection wait, or");
    }

    @Test
    void shouldDisconnectAProducerThatExceedsTheBatchesInFlightOfAPartition() {
        start(PARTITIONS);
        RawProducer.Written log = producer.lease(0);
        for (int i = 0; producer.end == null && log.write(RawProducer.batch(7, 0, i, "a")); i++) {
            assertThat(i).isLessThan(100_000);
        }
        await().until(() -> producer.end != null);
    }
}
