package io.rocketbufs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.DeliveryLog.Cursor;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the ring's growth: the ring starts small, and grows even while readers use it. */
@Timeout(600)
class DeliveryLogGrowthTest {
    private static final int LIMIT = 256;
    private static final int CAPACITY = 4096;
    private static final int RECORDS = 2_000;
    private static final int ROUNDS = 50;
    /** Time after which the test starts no further rounds. On a busy machine, each thread switch takes a long time. */
    private static final Duration ENOUGH = Duration.ofSeconds(20);

    private final MemoryPool pool = new MemoryPool(CAPACITY);
    private final CircularBuffer memory = new CircularBuffer(pool.allocate(CAPACITY), CAPACITY);

    @AfterEach
    void closePool() {
        pool.close();
    }

    private static void append(DeliveryLog log, long length) {
        log.append(log.end(), length, log.end(), 0, null);
    }

    @Test
    void shouldStartSmallAndGrowToItsLimit() {
        DeliveryLog log = new DeliveryLog(4096, false);
        assertThat(log.roomAtHand()).isLessThanOrEqualTo(16);
        assertThat(log.room()).isEqualTo(4096);
        for (int i = 0; i < 4096; i++) {
            assertThat(log.room()).isEqualTo(4096 - i);
            append(log, 1 + i % 7);
        }
        assertThat(log.room()).isZero();
        assertThat(log.roomAtHand()).isZero();
        assertThat(log.mostRoom()).isEqualTo(4095);
    }

    @Test
    void shouldNotGrowWhenTheProducerReclaimsInTime() {
        DeliveryLog log = new DeliveryLog(4096, false);
        long room = log.roomAtHand();
        for (int i = 0; i < 10_000; i++) {
            append(log, 10);
            if (log.roomAtHand() == 0) {
                log.reclaim(log.end(), Long.MAX_VALUE, log.end());
            }
        }
        assertThat(log.roomAtHand()).isLessThan(room);
    }

    @Test
    void shouldAllocateAllRecordsAtTheStartForSeparateDeliveries() {
        assertThat(new DeliveryLog(4096, true).roomAtHand()).isEqualTo(4096);
    }

    @Test
    void shouldKeepUnreadRecordsWhenItGrows() {
        DeliveryLog log = new DeliveryLog(LIMIT, false);
        for (int i = 0; i < 5; i++) {
            append(log, 10);
        }
        Cursor slow = new Cursor();
        log.seek(slow, 30);
        log.reclaim(30, Long.MAX_VALUE, 50);
        for (int i = 5; i < 200; i++) {
            append(log, 10);
        }
        Cursor late = new Cursor();
        log.seek(late, log.visibleEnd());
        assertThat(late.position()).isEqualTo(2000);
        assertThat(log.visibleEnd()).isEqualTo(2000);
        assertThat(log.boundaryFor(1005)).isEqualTo(1010);
        for (int i = 3; i < 200; i++) {
            assertThat(log.transferEnd(slow, 10, true)).isEqualTo(10 * (i + 1));
            Vecs vecs = new Vecs(2);
            assertThat(log.gather(slow, 10, memory, vecs)).isEqualTo(10);
            assertThat(vecs.offset(0)).isEqualTo(10 * i);
            log.advance(slow, 10);
        }
        assertThat(log.hasMore(slow)).isFalse();
        assertThat(log.reclaim(2000, Long.MAX_VALUE, 2000)).isEqualTo(2000);
        assertThat(log.room()).isEqualTo(LIMIT - 1);
    }

    @Test
    void shouldMergeIntoTheNewestRecordAfterItGrew() {
        DeliveryLog log = new DeliveryLog(LIMIT, false);
        while (log.roomAtHand() > 0) {
            append(log, 10);
        }
        append(log, 10);
        long count = log.nextRecord();
        log.append(log.end(), 5, log.end(), 20, null);
        assertThat(log.nextRecord()).isEqualTo(count);
        assertThat(log.visibleEnd()).isEqualTo(10 * count + 5);
    }

    /**
     * While the ring grows, one thread appends deliveries, two threads read them, and another thread reads only the end
     * position.
     */
    @Test
    void shouldShowTheSameRecordsToAllReadersWhileItGrows() throws Exception {
        long seed = new Random().nextLong();
        long begin = System.nanoTime();
        for (int round = 0; round < ROUNDS && System.nanoTime() - begin < ENOUGH.toNanos(); round++) {
            new Race(new Random(seed + round), "seed=" + seed + " round=" + round).run();
        }
    }

    /** A race in which a delivery's number determines its length, so that every reader can compute every boundary. */
    private final class Race {
        private final DeliveryLog log = new DeliveryLog(LIMIT, false);
        private final Random random;
        private final String name;
        private final List<AtomicLong> released = List.of(new AtomicLong(), new AtomicLong());
        private final long total = boundary(RECORDS);

        private Race(Random random, String name) {
            this.random = random;
            this.name = name;
        }

        private void run() throws Exception {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (AtomicLong mine : released) {
                all.add(CompletableFuture.runAsync(() -> read(mine), task -> new Thread(task).start()));
            }
            all.add(CompletableFuture.runAsync(this::watchTheEnd, task -> new Thread(task).start()));
            produce(all);
            for (CompletableFuture<Void> each : all) {
                each.get(); // the class's timeout applies
            }
        }

        private long minReleased() {
            return Math.min(released.get(0).get(), released.get(1).get());
        }

        /**
         * Releases records at random times. The ring therefore stays small for a long time in some rounds, and grows
         * early in others.
         */
        private void produce(List<CompletableFuture<Void>> all) {
            int patience = 1 + random.nextInt(100);
            for (int i = 0; i < RECORDS; i++) {
                boolean mayGrow = random.nextInt(patience) == 0;
                while (log.roomAtHand() == 0 && !mayGrow || log.room() == 0) {
                    log.reclaim(minReleased(), Long.MAX_VALUE, log.end());
                    check(!Thread.interrupted(), "no reader has released anything");
                    if (all.stream().anyMatch(CompletableFuture::isCompletedExceptionally)) {
                        return;
                    }
                    Thread.yield();
                }
                append(log, length(i));
            }
        }

        private void read(AtomicLong mine) {
            Cursor cursor = new Cursor();
            Vecs vecs = new Vecs(3);
            for (long i = 0; i < RECORDS; ) {
                long end = log.transferEnd(cursor, Long.MAX_VALUE, false);
                if (end > cursor.position()) {
                    check(end == boundary(i + 1), "transfer to " + end + " of record " + i);
                    vecs.clear();
                    long start = cursor.position();
                    check(log.gather(cursor, end - start, memory, vecs) == end - start, "gather");
                    check(vecs.offset(0) == memory.offset(start), "offset at " + start);
                    log.advance(cursor, end - start);
                    mine.set(end);
                    i++;
                } else {
                    Thread.yield();
                }
            }
        }

        private void watchTheEnd() {
            long last = 0;
            while (last < total) {
                long seen = log.visibleEnd();
                check(seen >= last && isBoundary(seen), "end " + seen + " after " + last);
                last = seen;
                Thread.yield();
            }
        }

        private void check(boolean condition, String what) {
            if (!condition) {
                throw new AssertionError(name + ": " + what);
            }
        }
    }

    private static long length(long record) {
        return 1 + record % 4;
    }

    /** Returns the position at which the deliveries before the given one end. */
    private static long boundary(long record) {
        return record / 4 * 10 + record % 4 * (record % 4 + 1) / 2;
    }

    private static boolean isBoundary(long position) {
        long rest = position % 10;
        return rest == 0 || rest == 1 || rest == 3 || rest == 6;
    }
}
