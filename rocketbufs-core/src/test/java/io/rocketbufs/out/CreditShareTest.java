package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.link.ConnectionCredit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class CreditShareTest {
    private static final long MINIMUM = ConnectionCredit.MINIMUM;
    private static final long LIMIT = 4 * MINIMUM;
    private static final long CAPACITY = 1 << 20;

    private final ConnectionCredit credit = new ConnectionCredit(LIMIT);
    private final Reader first = new Reader();
    private final Reader second = new Reader();

    /** The credit share of a buffer, with the position up to which the buffer's peer has consumed data. */
    private final class Reader {
        private volatile long consumed;
        private int returnedCount;
        private long delivered;
        /** Position at which the buffer was last completely consumed. */
        private long consumedAtRest;

        private final FlushRequest requests = new FlushRequest();
        private final CreditShare share = new CreditShare(credit, requests, () -> consumed, () -> returnedCount++);

        Reader() {
            share.open(CAPACITY, 0);
        }

        /** Delivers bytes; returns true if no credit is left. */
        boolean deliver(long length) {
            delivered += length;
            return share.use(Math.min(CAPACITY, delivered - consumedAtRest), delivered);
        }

        void consume(long position) {
            consumed = position;
            share.settle();
            consumedAtRest = consumed == delivered ? consumed : consumedAtRest;
        }
    }

    @Test
    void shouldUseWhatWasDeliveredUntilAllOfItIsConsumed() {
        first.deliver(100);
        first.deliver(200);
        assertThat(credit.used()).isEqualTo(300);
        first.consume(299);
        assertThat(credit.used()).isEqualTo(300);
        first.consume(300);
        assertThat(credit.used()).isZero();
        assertThat(first.returnedCount).isEqualTo(1);
    }

    @Test
    void shouldUseNoMoreThanTheBuffersMemory() {
        first.deliver(CAPACITY);
        first.deliver(CAPACITY);
        assertThat(credit.used()).isEqualTo(CAPACITY);
    }

    @Test
    void shouldUseWhatThePeerHasNotConsumedWhenTheBufferHasRestarted() {
        first.deliver(5000);
        first.share.use(10, 5010);
        assertThat(credit.used()).isEqualTo(5010);
    }

    @Test
    void shouldUseTheMemoryThatTheBufferHasTouchedSinceItRestarted() {
        first.deliver(5000);
        first.consume(5000);
        first.share.use(5010, 5010);
        assertThat(credit.used()).isEqualTo(5010);
    }

    @Test
    void shouldAllowTheMinimumWhenTheCreditIsUsedUp() {
        assertThat(first.deliver(LIMIT + 1)).isTrue();
        second.deliver(MINIMUM - 1);
        assertThat(second.share.allows()).isTrue();
        second.deliver(1);
        assertThat(second.share.allows()).isFalse();
        second.consume(MINIMUM - 1);
        assertThat(second.share.allows()).isFalse();
        second.consume(MINIMUM);
        assertThat(second.share.allows()).isTrue();
        assertThat(first.share.allows()).isFalse();
    }

    @Test
    void shouldAllowADeliveryLongerThanTheMinimumAfterARest() {
        first.deliver(LIMIT + 1);
        second.deliver(3 * MINIMUM);
        assertThat(second.share.allows()).isFalse();
        second.consume(3 * MINIMUM);
        assertThat(second.share.allows()).isTrue();
    }

    @Test
    void shouldAllowEverythingWhileThereIsCredit() {
        first.deliver(LIMIT);
        assertThat(first.share.allows()).isTrue();
        second.deliver(1);
        assertThat(first.share.allows()).isFalse();
        second.consume(1);
        assertThat(first.share.allows()).isTrue();
    }

    @Test
    void shouldNoticeConsumptionThatWasReportedBeforeTheDeliveryWasCounted() {
        first.deliver(LIMIT + 1);
        second.consumed = 2 * MINIMUM;
        second.deliver(2 * MINIMUM);
        assertThat(second.share.allows()).isTrue();
        assertThat(credit.used()).isEqualTo(LIMIT + 1);
    }

    @Test
    void shouldRequestReportsOnlyWhileCreditIsScarce() {
        first.deliver(LIMIT / 2);
        assertThat(first.requests.isPending(0)).isFalse();
        first.deliver(1);
        assertThat(first.requests.isPending(LIMIT / 2)).isTrue();
        second.deliver(MINIMUM - 1);
        assertThat(second.requests.isPending(0)).isFalse();
    }

    @Test
    void shouldRequestAReportOfWhatWasDeliveredBeforeCreditWasScarce() {
        second.deliver(MINIMUM);
        first.deliver(LIMIT);
        assertThat(second.share.allows()).isFalse();
        assertThat(second.share.await()).isTrue();
        assertThat(second.requests.isPending(0)).isTrue();
        assertThat(second.share.await()).isFalse(); // requested earlier
    }

    @Test
    void shouldCheckForWorkWhenConsumptionShowsThatAReportMustBeRequested() {
        second.deliver(MINIMUM);
        first.deliver(LIMIT);
        second.consumed = 1;
        assertThat(second.share.settle()).isTrue();
    }

    @Test
    void shouldRequestAnotherReportWhenOneFallsShort() {
        first.deliver(LIMIT + 1);
        first.deliver(10);
        first.consume(LIMIT + 1);
        assertThat(first.requests.isPending(LIMIT + 1)).isTrue();
    }

    @Test
    void shouldReturnEverythingWhenItCloses() {
        first.deliver(LIMIT + 1);
        second.deliver(5);
        first.share.close();
        first.share.close();
        assertThat(credit.used()).isEqualTo(5);
        assertThat(first.returnedCount).isEqualTo(1);
        assertThat(first.share.allows()).isTrue();
        first.deliver(100);
        first.consume(first.delivered);
        assertThat(first.share.tick()).isFalse();
        assertThat(credit.used()).isEqualTo(5);
    }

    @Test
    void shouldNotLimitABufferWithoutAShare() {
        first.deliver(LIMIT + 1);
        CreditShare none = new CreditShare(credit, new FlushRequest(), () -> 0, () -> {});
        assertThat(none.use(10 * LIMIT, 10 * LIMIT)).isFalse();
        assertThat(none.allows()).isTrue();
        assertThat(credit.used()).isEqualTo(LIMIT + 1);
    }

    @Test
    void shouldNotifyTheProducerWhenAnotherBufferReturnsCredit() {
        first.deliver(LIMIT + 1);
        second.deliver(MINIMUM);
        second.share.await();
        first.consume(LIMIT + 1);
        assertThat(second.returnedCount).isEqualTo(1);
        assertThat(second.share.allows()).isTrue();
    }

    // The receiver never consumes everything.

    @Test
    void shouldNotStopForAReceiverThatKeepsTheLastDelivery() {
        first.deliver(LIMIT + 1);
        second.deliver(MINIMUM);
        second.deliver(5 * MINIMUM);
        second.consume(MINIMUM);
        assertThat(second.share.allows()).isFalse();
        second.share.tick();
        assertThat(second.share.allows()).isTrue();
    }

    @Test
    void shouldNotStopForAReceiverThatKeepsLessThanTheMinimum() {
        first.deliver(LIMIT + 1);
        for (int i = 0; i < 20; i++) {
            second.deliver(MINIMUM / 10);
        }
        second.consume(second.delivered - MINIMUM + 1);
        second.share.tick();
        assertThat(second.share.allows()).isTrue();
    }

    @Test
    void shouldRequestReportsFromAReceiverThatDelaysOthers() {
        first.deliver(10);
        assertThat(first.share.tick()).isFalse();
        first.deliver(LIMIT);
        first.deliver(1);
        for (int i = 0; i < 4; i++) {
            assertThat(first.share.tick()).isFalse(); // requested earlier
        }
        assertThat(first.share.tick()).isTrue();
        assertThat(first.share.allows()).isFalse();
    }

    // Comparison with a model.

    @Test
    void shouldAgreeWithAModel() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Reader> readers = new ArrayList<>(List.of(first, second));
        List<Long> inUse = new ArrayList<>(List.of(0L, 0L));
        for (int i = 0; i < 8; i++) {
            readers.add(new Reader());
            inUse.add(0L);
        }
        for (int step = 0; step < 100_000; step++) {
            int which = random.nextInt(readers.size());
            Reader reader = readers.get(which);
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> {
                    if (reader.share.allows()) {
                        reader.deliver(1 + random.nextInt(5000));
                        inUse.set(which, Math.min(CAPACITY, reader.delivered - reader.consumedAtRest));
                    }
                }
                case 4, 5 -> {
                    reader.consume(reader.consumed + random.nextLong(reader.delivered - reader.consumed + 1));
                    inUse.set(which, reader.consumed == reader.delivered ? 0 : inUse.get(which));
                }
                case 6 -> {
                    reader.consume(reader.delivered);
                    inUse.set(which, 0L);
                }
                default -> reader.share.tick();
            }
            long total = inUse.stream().mapToLong(Long::longValue).sum();
            assertThat(credit.used()).as("seed=%d step=%d", seed, step).isEqualTo(total);
        }
    }

    @Test
    void shouldReturnEverythingThatManyThreadsUse() throws Exception {
        for (int round = 0; round < 200; round++) {
            ConnectionCredit shared = new ConnectionCredit(LIMIT);
            long[] delivered = new long[1];
            CreditShare share = new CreditShare(shared, new FlushRequest(), () -> delivered[0], () -> {});
            share.open(CAPACITY, 0);
            ExecutorService threads = Executors.newFixedThreadPool(3);
            try {
                Future<?> producer = threads.submit(() -> {
                    for (int i = 1; i <= 2000; i++) {
                        share.use(i % 100, i);
                        delivered[0] = i;
                    }
                });
                Future<?> worker = threads.submit(() -> {
                    for (int i = 0; i < 2000; i++) {
                        share.settle();
                    }
                });
                Future<?> closing = threads.submit(share::close);
                producer.get();
                worker.get();
                closing.get();
            } finally {
                threads.shutdownNow();
            }
            assertThat(shared.used()).isZero();
        }
    }
}
