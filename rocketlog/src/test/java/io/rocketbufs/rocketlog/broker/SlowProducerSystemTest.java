package io.rocketbufs.rocketlog.broker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rocketlog.LoggedRecords;
import io.rocketbufs.rocketlog.protocol.LeaseMode;
import io.rocketbufs.rocketlog.record.BatchBuilder;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of a producer whose batch of a megabyte arrives slowly, but never stops. Over shared memory, a batch cannot
 * arrive slowly, because the broker copies it from the producer's memory.
 */
@Timeout(600)
final class SlowProducerSystemTest extends LeaseFixture {
    private static final String LARGE = "rocketlog { batch.longest = 1 MiB, segment-length = 4 MiB,"
            + " produce.direct { revoke-timeout = 300 ms, order-timeout = 300 ms } }";
    private static final long PRODUCER = 7;
    private static final int RECORDS = 16;
    private static final int HALF = 500_000;
    private static final int MORE = 20;

    private static ByteBuffer large() {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
        BatchBuilder builder = new BatchBuilder().begin(buffer).producer(PRODUCER, (short) 0, 1);
        ByteBuffer value = ByteBuffer.wrap("x".repeat(65_000).getBytes(US_ASCII));
        for (int i = 0; i < RECORDS; i++) {
            assertThat(builder.add(System.currentTimeMillis(), null, value.duplicate()))
                    .isTrue();
        }
        builder.finish();
        return buffer.flip();
    }

    @ParameterizedTest
    @EnumSource
    void shouldChangeNothingAfterItsLeaseWasTaken(LeaseMode mode) throws Exception {
        writeSlowly("tcp", mode);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void shouldChangeNothingAfterItsLeaseWasTakenOverRdma(LeaseMode mode) throws Exception {
        writeSlowly("rdma", mode);
    }

    private void writeSlowly(String transport, LeaseMode mode) throws Exception {
        start(transport, LARGE);
        List<String> expected = new ArrayList<>(List.of("first"));
        try (SlowLink link = new SlowLink(running.address())) {
            RawProducer slow = running.opened(new RawProducer(running.clients(), link.address()));
            slow.announce("orders");
            boolean isShared = mode == LeaseMode.SHARED;
            RawProducer.Written log = isShared ? slow.share(0, PRODUCER) : slow.lease(0);
            ByteBuffer first = batch(PRODUCER, 0, "first");
            ByteBuffer large = large();
            if (isShared) {
                log.writeTo(log.reserve(first), first);
                slow.awaitResults(1);
                long place = log.reserve(large);
                link.holdAfter(HALF);
                log.writeTo(place, large);
            } else {
                log.write(first);
                slow.awaitResults(1);
                link.holdAfter(HALF);
                log.write(large);
            }
            await().until(link::isHolding);
            RawProducer other = producer();
            other.send(0, batch(99, 0, "other 0"));
            expected.add("other 0");
            await().until(() -> {
                link.pass(1000);
                return other.results.size() == 1;
            });
            Path segment = folder.resolve("orders-0").resolve("00000000000000000000.log");
            int length = first.limit() + batch(99, 0, "other 0").limit();
            byte[] before = Arrays.copyOf(Files.readAllBytes(segment), length);
            for (int i = 1; i <= MORE; i++) {
                link.pass(2 * HALF / MORE);
                other.send(0, batch(99, i, "other " + i));
                expected.add("other " + i);
                other.awaitResults(i + 1);
            }
            await().until(() -> slow.end != null);
            assertThat(Arrays.copyOf(Files.readAllBytes(segment), length)).isEqualTo(before);
            assertThat(slow.results).containsExactly(0L);
            assertThat(other.results)
                    .isEqualTo(LongStream.rangeClosed(1, MORE + 1).boxed().toList());
            assertThat(counters().changedLeases.sum()).isZero();
        }
        running.close();
        assertThat(LoggedRecords.values(folder, "orders-0")).isEqualTo(expected);
    }

    @Test
    void shouldNotDelayOtherProducersWhenItUsesItsBuffer() throws Exception {
        sendSlowly("tcp");
    }

    @Test
    @Tag("slow")
    void shouldNotDelayOtherProducersWhenItUsesItsBufferOverRdma() throws Exception {
        sendSlowly("rdma");
    }

    private void sendSlowly(String transport) throws Exception {
        start(transport, LARGE);
        try (SlowLink link = new SlowLink(running.address())) {
            RawProducer slow = running.opened(new RawProducer(running.clients(), link.address()));
            slow.announce("orders");
            slow.send(0, batch(PRODUCER, 0, "first"));
            slow.awaitResults(1);
            link.holdAfter(HALF);
            slow.send(0, large());
            await().until(link::isHolding);
            RawProducer other = producer();
            for (int i = 0; i < MORE; i++) {
                link.pass(1000);
                other.send(0, batch(99, i, "other " + i));
                other.awaitResults(i + 1);
            }
            assertThat(slow.results).hasSize(1);
            link.pass(2 * HALF);
            slow.awaitResults(2);
            assertThat(slow.results).containsExactly(0L, MORE + 1L);
            assertThat(partition().nextOffset()).isEqualTo(1 + MORE + RECORDS);
        }
    }
}
