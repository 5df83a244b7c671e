package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.LogMessageType;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two honest producers whose batches have the same order, because a third one has changed the order word. */
@Timeout(120)
final class SwappedBatchesSystemTest {
    private static final long ONE_ORDER = OrderWordLayout.reservation(0);

    @TempDir
    Path folder;

    private RunningLogBroker running;

    @BeforeEach
    void start() {
        running = new RunningLogBroker(
                folder, "rocketlog.produce.direct { topics = [orders], revoke-timeout = 30 s, order-timeout = 60 s }");
        running.withTopic("orders", 1);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private RawProducer producer() {
        RawProducer producer = running.opened(new RawProducer(running.clients(), running.address()));
        assertThat(LogMessageLayout.type(producer.announce("orders"))).isEqualTo(LogMessageType.PRODUCING);
        return producer;
    }

    /** The bytes of the first one are there, but the broker is notified of the batch of the second one first. */
    @Test
    void shouldNotAcknowledgeABatchForTheBytesOfAnotherProducer() {
        RawProducer first = producer();
        RawProducer second = producer();
        RawProducer.Written one = first.share(0);
        RawProducer.Written two = second.share(0);
        ByteBuffer batchOfFirst = RawProducer.batch(1, 0, 0, "first");
        ByteBuffer batchOfSecond = RawProducer.batch(2, 0, 0, "other"); // as long as the first one
        long placeOfFirst = one.reserve(batchOfFirst);
        one.add(-ONE_ORDER);
        long placeOfSecond = two.reserve(batchOfSecond);
        assertThat(OrderWordLayout.order(placeOfSecond)).isEqualTo(OrderWordLayout.order(placeOfFirst));
        one.write(OrderWordLayout.position(placeOfFirst), 5, batchOfFirst); // in place of a late notification
        one.add(0); // is carried out after the write
        two.writeTo(placeOfSecond, batchOfSecond);
        second.awaitResults(1);
        assertThat(second.results).containsExactly(AppendResult.LEASE_ENDED);
        first.awaitResults(1);
        assertThat(first.results).containsExactly(AppendResult.LEASE_ENDED);
        await().until(() -> one.isRevoked && two.isRevoked);
        second.send(0, batchOfSecond);
        second.awaitResults(2);
        assertThat(second.results).last().isEqualTo(0L);
        first.send(0, batchOfFirst);
        first.awaitResults(2);
        assertThat(first.results).last().isEqualTo(1L);
        running.close();
        assertThat(LoggedRecords.values(folder, "orders-0")).containsExactly("other", "first");
    }
}
