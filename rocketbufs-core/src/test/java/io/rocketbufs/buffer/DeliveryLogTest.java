package io.rocketbufs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.DeliveryLog.Cursor;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.DataOutStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class DeliveryLogTest {
    private static final int CAPACITY = 4096;

    private final MemoryPool pool = new MemoryPool(CAPACITY);
    private final CircularBuffer memory = new CircularBuffer(pool.allocate(CAPACITY), CAPACITY);
    private final Cursor cursor = new Cursor();
    private DeliveryLog log = new DeliveryLog(8, false);

    @AfterEach
    void closePool() {
        pool.close();
    }

    /** Appends a delivery that follows the last one in memory, while no earlier reservation is open. */
    private void append(long length, long mergeLimit) {
        log.append(log.end(), length, log.end(), mergeLimit, null);
    }

    private void appendAt(long localStart, long length, long floor) {
        log.append(localStart, length, floor, 0, null);
    }

    private long end(long limit) {
        return log.transferEnd(cursor, limit, true);
    }

    private long endOfOne() {
        return log.transferEnd(cursor, Long.MAX_VALUE, false);
    }

    private void read(long length) {
        log.advance(cursor, length);
    }

    /** Releases the records before a log position, as if all readers had passed it and nothing were reserved. */
    private long reclaim(long released) {
        return log.reclaim(released, Long.MAX_VALUE, 1_000_000);
    }

    @Test
    void shouldNotRequireABoundaryBeyondTheReadersWhenThereIsRoom() {
        assertThat(log.boundaryForRoom(1)).isZero();
        append(10, 0);
        append(10, 0);
        assertThat(log.boundaryForRoom(1)).isZero();
        reclaim(5);
        assertThat(log.boundaryForRoom(1)).isZero();
        reclaim(10);
        append(10, 0);
        assertThat(log.boundaryForRoom(1)).isLessThanOrEqualTo(10);
    }

    @Test
    void shouldFindTheRecordOfAnyPositionThatIsKept() {
        long[] starts = new long[30];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = log.end();
            append(1 + i % 4, 0);
            int oldest = Math.max(0, i - 5);
            reclaim(starts[oldest]);
            for (int record = oldest; record <= i; record++) {
                long next = record == i ? log.end() : starts[record + 1];
                for (long position = starts[record]; position < next; position++) {
                    assertThat(log.boundaryBefore(position)).isEqualTo(starts[record]);
                    assertThat(log.boundaryFrom(position)).isEqualTo(position == starts[record] ? position : next);
                }
            }
            assertThat(log.boundaryBefore(log.end())).isEqualTo(log.end());
            assertThat(log.boundaryFrom(log.end())).isEqualTo(log.end());
        }
    }

    @Test
    void shouldBeEmptyAtFirst() {
        assertThat(log.room()).isEqualTo(8);
        assertThat(log.end()).isZero();
        assertThat(log.visibleEnd()).isZero();
        assertThat(log.hasMore(cursor)).isFalse();
        assertThat(end(100)).isZero();
        assertThat(endOfOne()).isZero();
        log.seek(cursor, log.visibleEnd());
        assertThat(cursor.position()).isZero();
        assertThat(log.boundaryFor(5)).isZero();
        assertThat(reclaim(0)).isEqualTo(1_000_000);
    }

    @Test
    void shouldRoundTheNumberOfRecordsUp() {
        assertThat(new DeliveryLog(0, false).room()).isEqualTo(2);
        assertThat(new DeliveryLog(2, false).room()).isEqualTo(2);
        assertThat(new DeliveryLog(3, false).room()).isEqualTo(4);
        assertThat(new DeliveryLog(4096, false).room()).isEqualTo(4096);
    }

    @Nested
    class Merging {
        @Test
        void shouldMergeDeliveriesThatAreAdjacentInMemory() {
            append(10, 30);
            append(10, 30);
            append(10, 30);
            assertThat(log.room()).isEqualTo(7);
            assertThat(log.visibleEnd()).isEqualTo(30);
            assertThat(endOfOne()).isEqualTo(30);
        }

        @Test
        void shouldNotMergeBeyondTheLimit() {
            append(10, 20);
            append(10, 20);
            append(1, 20);
            assertThat(log.room()).isEqualTo(6);
            assertThat(endOfOne()).isEqualTo(20);
        }

        @Test
        void shouldNotMergeDeliveriesThatAreNotAdjacentInMemory() {
            appendAt(0, 10, 0);
            log.append(11, 10, 11, 100, null);
            assertThat(log.room()).isEqualTo(6);
        }

        @Test
        void shouldNotMergeWhileAnEarlierReservationIsOpen() {
            log.append(10, 10, 0, 100, null);
            log.append(20, 10, 0, 100, null);
            assertThat(log.room()).isEqualTo(6);
        }

        @Test
        void shouldNotMergeIntoARecordThatWaitsForAnEarlierReservation() {
            log.append(10, 10, 0, 100, null);
            log.append(20, 10, 20, 100, null);
            assertThat(log.room()).isEqualTo(6);
        }

        @Test
        void shouldNotMergeSeparateDeliveries() {
            log = new DeliveryLog(8, true);
            append(10, 100);
            append(10, 100);
            assertThat(log.separate()).isTrue();
            assertThat(log.room()).isEqualTo(6);
        }

        @Test
        void shouldShowAReaderTheRestOfARecordThatGrowsAfterBeingRead() {
            append(10, 100);
            assertThat(endOfOne()).isEqualTo(10);
            read(10);
            assertThat(log.hasMore(cursor)).isFalse();
            append(5, 100);
            assertThat(log.hasMore(cursor)).isTrue();
            assertThat(endOfOne()).isEqualTo(15);
        }
    }

    @Nested
    class Transfers {
        @Test
        void shouldEndAtTheLastDeliveryWithinTheLimit() {
            append(10, 0);
            append(20, 0);
            append(30, 0);
            assertThat(end(29)).isEqualTo(10);
            assertThat(end(30)).isEqualTo(30);
            assertThat(end(59)).isEqualTo(30);
            assertThat(end(60)).isEqualTo(60);
            assertThat(end(Long.MAX_VALUE)).isEqualTo(60);
        }

        @Test
        void shouldTakeAtLeastOneDeliveryWhateverTheLimit() {
            append(10, 0);
            append(20, 0);
            assertThat(end(0)).isEqualTo(10);
            assertThat(end(-5)).isEqualTo(10);
        }

        @Test
        void shouldTakeOneDeliveryWithoutCoalescing() {
            append(10, 0);
            append(20, 0);
            assertThat(endOfOne()).isEqualTo(10);
            read(10);
            assertThat(endOfOne()).isEqualTo(30);
            read(20);
            assertThat(endOfOne()).isEqualTo(30);
            assertThat(log.hasMore(cursor)).isFalse();
        }

        @Test
        void shouldGatherAcrossGapsAndTheEndOfTheBuffer() {
            appendAt(CAPACITY - 20, 10, CAPACITY - 20);
            appendAt(CAPACITY - 5, 10, CAPACITY - 5);
            Vecs vecs = new Vecs(4);
            assertThat(log.gather(cursor, 20, memory, vecs)).isEqualTo(20);
            assertThat(vecs.count()).isEqualTo(3);
            assertThat(vecs.offset(0)).isEqualTo(CAPACITY - 20);
            assertThat(vecs.offset(1)).isEqualTo(CAPACITY - 5);
            assertThat(vecs.length(1)).isEqualTo(5);
            assertThat(vecs.offset(2)).isZero();
        }

        @Test
        void shouldGatherNoMoreThanFitsTheList() {
            appendAt(0, 10, 0);
            appendAt(20, 10, 20);
            appendAt(40, 10, 40);
            Vecs vecs = new Vecs(2);
            assertThat(log.gather(cursor, 30, memory, vecs)).isEqualTo(20);
            read(20);
            vecs.clear();
            assertThat(log.gather(cursor, 10, memory, vecs)).isEqualTo(10);
            assertThat(vecs.offset(0)).isEqualTo(40);
        }

        @Test
        void shouldGatherFromTheMiddleOfADelivery() {
            appendAt(0, 10, 0);
            appendAt(20, 10, 20);
            read(7);
            Vecs vecs = new Vecs(4);
            assertThat(log.gather(cursor, 5, memory, vecs)).isEqualTo(5);
            assertThat(vecs.offset(0)).isEqualTo(7);
            assertThat(vecs.length(0)).isEqualTo(3);
            assertThat(vecs.offset(1)).isEqualTo(20);
            assertThat(vecs.length(1)).isEqualTo(2);
        }
    }

    @Nested
    class Cursors {
        @Test
        void shouldStartAtTheEndAndSeeNewDeliveries() {
            append(10, 100);
            log.seek(cursor, log.visibleEnd());
            assertThat(cursor.position()).isEqualTo(10);
            assertThat(log.hasMore(cursor)).isFalse();
            append(10, 100);
            append(10, 0);
            assertThat(endOfOne()).isEqualTo(20);
        }

        @Test
        void shouldMoveToTheGivenBoundary() {
            for (int i = 0; i < 6; i++) {
                append(10, 0);
            }
            log.seek(cursor, 30);
            assertThat(cursor.position()).isEqualTo(30);
            assertThat(endOfOne()).isEqualTo(40);
        }

        @Test
        void shouldFindAKeptPositionAfterTheRingHasWrapped() {
            for (int i = 0; i < 30; i++) {
                append(10, 0);
                reclaim(log.end());
            }
            long held = log.end();
            appendAt(1000, 10, 1000);
            appendAt(2000, 10, 2000);
            appendAt(3000, 10, 3000);
            log.seek(cursor, held);
            assertThat(endOfOne()).isEqualTo(held + 10);
            Vecs vecs = new Vecs(4);
            log.gather(cursor, 30, memory, vecs);
            assertThat(vecs.offset(0)).isEqualTo(1000);
            assertThat(vecs.offset(1)).isEqualTo(2000);
        }

        @Test
        void shouldNotLoseAnIdleReaderWhileOthersFillTheRing() {
            append(10, 0);
            endOfOne();
            read(10);
            for (int i = 0; i < 8; i++) {
                if (log.room() == 0) {
                    reclaim(10);
                }
                if (log.room() > 0) {
                    append(10, 0);
                }
            }
            assertThat(endOfOne()).isEqualTo(20);
        }

        @Test
        void shouldNotLoseAReaderThatReadsManyRecordsTogether() {
            for (int i = 0; i < 7; i++) {
                append(10, 0);
            }
            Vecs vecs = new Vecs(4);
            log.gather(cursor, 60, memory, vecs);
            read(60);
            reclaim(60);
            while (log.room() > 0) {
                append(10, 0);
            }
            assertThat(endOfOne()).isEqualTo(70);
        }
    }

    @Nested
    class Reclaiming {
        @Test
        void shouldHaveNoRoomWhenFull() {
            for (int i = 0; i < 8; i++) {
                append(10, 0);
            }
            assertThat(log.room()).isZero();
            reclaim(0);
            assertThat(log.room()).isZero();
        }

        @Test
        void shouldHaveRoomForAllButOneWhenEverythingIsReleased() {
            for (int i = 0; i < 8; i++) {
                append(10, 0);
            }
            reclaim(80);
            assertThat(log.room()).isEqualTo(7);
        }

        @Test
        void shouldKeepRecordsThatAreNeededForAnotherReason() {
            for (int i = 0; i < 8; i++) {
                append(10, 0);
            }
            assertThat(log.reclaim(80, 3, 80)).isEqualTo(80);
            assertThat(log.room()).isEqualTo(3);
        }

        @Test
        void shouldFreeMemoryUpToTheReleasedPosition() {
            append(10, 0);
            append(20, 0);
            assertThat(reclaim(0)).isZero();
            assertThat(reclaim(4)).isEqualTo(4);
            assertThat(reclaim(10)).isEqualTo(10);
            assertThat(reclaim(29)).isEqualTo(29);
            assertThat(log.reclaim(30, Long.MAX_VALUE, 77)).isEqualTo(77);
        }

        @Test
        void shouldFreeTheGapBeforeTheNextRecord() {
            appendAt(0, 10, 0);
            appendAt(50, 10, 50);
            assertThat(reclaim(9)).isEqualTo(9);
            assertThat(reclaim(10)).isEqualTo(50);
        }

        @Test
        void shouldKeepMemoryOfAnEarlierReservationThatWasDeliveredLater() {
            appendAt(10, 10, 0);
            appendAt(0, 10, 0);
            appendAt(20, 10, 20);
            assertThat(reclaim(5)).isZero();
            assertThat(reclaim(10)).isZero();
            assertThat(reclaim(13)).isEqualTo(3);
            assertThat(reclaim(20)).isEqualTo(20);
        }

        @Test
        void shouldFreeNothingBeyondAnOpenReservation() {
            appendAt(10, 10, 0);
            assertThat(log.reclaim(10, Long.MAX_VALUE, 0)).isZero();
        }

        @Test
        void shouldReturnTheFirstBoundaryThatNoLongerUsesALocalPosition() {
            append(10, 0);
            append(20, 0);
            append(30, 0);
            assertThat(log.boundaryFor(0)).isZero();
            assertThat(log.boundaryFor(1)).isEqualTo(10);
            assertThat(log.boundaryFor(10)).isEqualTo(10);
            assertThat(log.boundaryFor(11)).isEqualTo(30);
            assertThat(log.boundaryFor(31)).isEqualTo(60);
            assertThat(log.boundaryFor(1000)).isEqualTo(60);
        }

        @Test
        void shouldReturnABoundaryAfterDeliveriesOutOfOrder() {
            appendAt(10, 10, 0);
            appendAt(0, 10, 0);
            appendAt(20, 10, 20);
            assertThat(log.boundaryFor(1)).isEqualTo(20);
            assertThat(log.boundaryFor(20)).isEqualTo(20);
            assertThat(log.boundaryFor(21)).isEqualTo(30);
        }
    }

    @Nested
    class KeptApart {
        private final Object context = new Object();

        KeptApart() {
            log = new DeliveryLog(8, true);
        }

        @Test
        void shouldReturnTheContextOnce() {
            log.append(0, 10, 0, 0, context);
            assertThat(log.takeContext(0)).isSameAs(context);
            assertThat(log.takeContext(0)).isNull();
            assertThat(log.status(0)).isEqualTo(DataOutStatus.SENT);
        }

        @Test
        void shouldSkipDiscardedDeliveries() {
            append(10, 0);
            append(20, 0);
            append(30, 0);
            assertThat(log.discard(1, 0)).isTrue();
            assertThat(end(Long.MAX_VALUE)).isEqualTo(10);
            read(10);
            assertThat(end(Long.MAX_VALUE)).isEqualTo(60);
            assertThat(cursor.position()).isEqualTo(30);
            assertThat(log.status(1)).isEqualTo(DataOutStatus.DISCARDED);
        }

        @Test
        void shouldHaveNothingToReadWhenAllDeliveriesAreDiscarded() {
            append(10, 0);
            append(20, 0);
            log.discard(0, 0);
            log.discard(1, 0);
            assertThat(log.hasMore(cursor)).isFalse();
            assertThat(cursor.position()).isEqualTo(30);
        }

        @Test
        void shouldFinishADeliveryThatIsDiscardedAfterItsTransferBegan() {
            append(10, 0);
            append(20, 0);
            append(30, 0);
            assertThat(end(30)).isEqualTo(30);
            assertThat(log.discard(0, 0)).isTrue();
            assertThat(log.discard(1, 0)).isTrue();
            assertThat(log.hasMore(cursor)).isTrue();
            Vecs vecs = new Vecs(4);
            assertThat(log.gather(cursor, 10, memory, vecs)).isEqualTo(10);
            assertThat(vecs.offset(0)).isZero();
            read(10);
            assertThat(log.hasMore(cursor)).isTrue();
            vecs.clear();
            assertThat(log.gather(cursor, 20, memory, vecs)).isEqualTo(20);
            assertThat(vecs.offset(0)).isEqualTo(10);
        }

        @Test
        void shouldNotDiscardTwiceOrDiscardUnknownDeliveries() {
            append(10, 0);
            assertThat(log.discard(0, 0)).isTrue();
            assertThat(log.discard(0, 0)).isFalse();
            assertThat(log.discard(1, 0)).isFalse();
            assertThat(log.discard(-1, 0)).isFalse();
        }

        @Test
        void shouldNotDiscardDeliveriesThatAllReadersHavePassed() {
            append(10, 0);
            append(10, 0);
            assertThat(log.discard(0, 10)).isFalse();
            assertThat(log.discard(1, 19)).isTrue();
        }

        @Test
        void shouldNotDiscardDeliveriesThatWereReleasedLongAgo() {
            append(10, 0);
            append(10, 0);
            reclaim(20);
            append(10, 0);
            reclaim(30);
            assertThat(log.discard(0, 0)).isFalse();
        }

        @Test
        void shouldMarkDeliveriesThatALostReaderHadNotRead() {
            append(10, 0);
            append(10, 0);
            append(10, 0);
            log.discard(2, 0);
            log.markLost(15);
            assertThat(log.status(0)).isEqualTo(DataOutStatus.SENT);
            assertThat(log.status(1)).isEqualTo(DataOutStatus.LOST);
            assertThat(log.status(2)).isEqualTo(DataOutStatus.DISCARDED);
        }

        @Test
        void shouldMarkOnlyTheNewestAsUnwanted() {
            append(10, 0);
            append(10, 0);
            log.markUnwanted();
            assertThat(log.status(0)).isEqualTo(DataOutStatus.SENT);
            assertThat(log.status(1)).isEqualTo(DataOutStatus.NO_SUBSCRIBER);
        }
    }

    @Test
    void shouldIgnoreLossAndDiscardWhenDeliveriesMerge() {
        append(10, 0);
        assertThat(log.discard(0, 0)).isFalse();
        log.markLost(0);
        assertThat(end(100)).isEqualTo(10);
    }
}
